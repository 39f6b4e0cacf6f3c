// 5 0 calls snprintf
char text[64];
snprintf(text, sizeof text, "%s", (const char *)data);
