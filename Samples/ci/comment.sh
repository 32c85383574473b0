#!/bin/sh
# Comments the Markdown report on the pull request, and edits that comment in later runs. It finds its own
# comment by a mark in the first line and by its author, and touches no other. A token that may not write, as
# that of a pull request from a fork, is no failure: the report is in the summary of the step as well.
#
#   GH_TOKEN     the token, for the program gh
#   REPOSITORY   the repository: owner/name                          (GITHUB_REPOSITORY)
#   NUMBER       the number of the pull request
#   AUTHOR       who the token's comments are by                     (github-actions[bot])
#   MARK         distinguishes the comments of several stores        (ferry)
#   REPORTS      the folder of the reports                           (ferry-reports)
set -u
REPOSITORY=${REPOSITORY:-$GITHUB_REPOSITORY}
AUTHOR=${AUTHOR:-github-actions[bot]}
REPORTS=${REPORTS:-ferry-reports}
mark="<!-- ferry dry run: ${MARK:-ferry} -->"
comments=repos/$REPOSITORY/issues
body=$REPORTS/comment.md
report=$REPORTS/ferry.md
elsewhere="It is in the summary of the dry run."

# Where an earlier step failed, as the download of the program, not even the folder exists.
mkdir -p "$REPORTS"
if [ ! -f "$report" ]; then
  report=$REPORTS/no-report.md
  echo "### ferry report: the dry run left no report" >"$report"
  echo "Look at the log of the first step that failed." >>"$report"
  elsewhere="See the log of the first step that failed."
fi
{
  echo "$mark"
  cat "$report"
} >"$body"

own=".[] | select(.user.login == \"$AUTHOR\" and (.body | startswith(\"$mark\"))) | .id"
if found=$(gh api --paginate "$comments/$NUMBER/comments" --jq "$own"); then
  id=$(echo "$found" | head -n 1)
  if [ -n "$id" ]; then
    gh api --method PATCH "$comments/comments/$id" -F "body=@$body" >/dev/null && exit 0
  else
    gh api --method POST "$comments/$NUMBER/comments" -F "body=@$body" >/dev/null && exit 0
  fi
fi
echo "::notice::The report could not be commented, for the reason above. $elsewhere"
exit 0
