#!/bin/sh
# make.sh LESSON.cu NAME.sed OUT.cu: a lesson with the mistake of NAME.sed in it, and NAME for its own. In a lesson that has
# changed the mistake may find no place: that builds, as a student at work needs it to, and the test fails.
name=$(basename "$2" .sed)
sed -f "$2" -e "s/\.name = \"[^\"]*\"/.name = \"$name\"/" -e "s/\.source = \"[^\"]*\"/.source = \"tests\"/" "$1" >"$3"
