/* Of a header the comments are read, too. */
static const char quote = '"'; // 3 bytes a cell
