/* 01_bad: a comment.

   Idea: bytes a comparison
   are counted over two lines. */
static const char *text = "3 bytes a cell behind a string are no comment";
static int cells; // behind the code
