/* A file that is still to be rewritten: behind. */
