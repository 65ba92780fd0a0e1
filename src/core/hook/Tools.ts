// Tools: what kind of review the use of a tool asks for, by the names of the event and of the tool.
// Every event of every session passes through here, so nothing of Effect is loaded with it.

/** What a tool's use is reviewed as. */
export type ToolClass = "code_change" | "plan_review" | "thinking" | "bash_failure"

const edits: ReadonlyArray<string> = ["Write", "Edit", "MultiEdit", "Patch", "NotebookEdit"]

// Whole words of the name, so that `credit_file` and `morphology` are no edits.
const edit = /(?:^|[^A-Za-z0-9])(?:edit_file|morph)(?:$|[^A-Za-z0-9])/
// Some tools of these families continue the word: `shannonthinking`, `actor-critic-thinking`.
const thinking = /(?:^|[^A-Za-z0-9])(?:sequential_?thinking|actor-critic|shannon)/

/** The name of a tool without its MCP server, as the client takes it apart; empty where the name is cut short. */
const ownName = (toolName: string): string => {
  if (!toolName.startsWith("mcp__")) return toolName
  const end = toolName.indexOf("__", 5)
  return end <= 5 ? "" : toolName.slice(end + 2)
}

const afterUse = (toolName: string): ToolClass | null => {
  if (toolName === "ExitPlanMode") return "plan_review"
  if (edits.includes(toolName)) return "code_change"
  const name = ownName(toolName)
  return thinking.test(name) ? "thinking" : edit.test(name) ? "code_change" : null
}

/** What the use of a tool is reviewed as; null for what nobody reviews. */
export const classifyTool = (event: string, toolName: string): ToolClass | null => {
  switch (event) {
    case "PostToolUse":
      return afterUse(toolName)
    case "PreToolUse":
      // This hook is installed only to have a plan reviewed before a person approves it.
      return toolName === "ExitPlanMode" ? "plan_review" : null
    case "PostToolUseFailure":
      return toolName === "Bash" ? "bash_failure" : null
    default:
      return null
  }
}

/** How far a chain of thoughts has come: its first third, its second, its last. */
export type ThinkingStage = "early" | "mid" | "late"

/** The stage of thought `number` of `total`. A chain whose length nobody knows is in its midst. */
export const thinkingStage = (number: number, total: number): ThinkingStage => {
  if (Number.isNaN(number) || !(total > 0)) return "mid"
  return 3 * number <= total ? "early" : 3 * number <= 2 * total ? "mid" : "late"
}
