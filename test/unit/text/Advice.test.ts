// Advice: the command that git itself gives against a complaint.
import { assert, it } from "vitest"
import { adviceIn } from "../../../src/text/ProgramOutput.ts"

const complaint = "fatal: detected dubious ownership in repository at '/x y'\n" +
  "To add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/x y'\n"

it("is the command as git words it, and nothing where git gives none", () => {
  assert.strictEqual(adviceIn(complaint), "git config --global --add safe.directory '/x y'")
  assert.isNull(adviceIn("fatal: not a git repository (or any of the parent directories): .git\n"))
})
