#!/bin/sh
# A hook in shell: no commits on main. Add it to a profile (arc profile show prints its path):
#
#   { "commands": [{ "name": "protect-main", "event": "pre:tool:shell", "command": "~/hooks/protect-main.sh" }] }
#
# The step is on stdin as JSON and in the environment. Exit 0 passes, exit 2 blocks with stderr as the reason. JSON on stdout can
# do more: here it also names the alternative.
case $ARC_TOOL_INPUT in
  *"git commit"*) ;;
  *) exit 0 ;;
esac
[ "$(git -C "$ARC_WORKSPACE" branch --show-current 2>/dev/null)" = main ] || exit 0
printf '%s\n' '{"decision":"block","reason":"main takes no commits","suggestion":"git switch -c my-branch"}'
