// This comment has its sentence in
// several lines: 4 requests a
// warp.
static const char *text = "nobody is behind a string // nor behind this"; // a colour
int n;                                                                    // a color
