// BadEnvironment: each way in which the program cannot work as it was called, in one line that says what is wrong.
import { assert, it } from "vitest"
import { BadEnvironment } from "../../../src/platform/Environment.ts"

const refused = { _tag: "SystemRefused", code: "EACCES", call: "open", said: "" } as const

it.each(
  [
    [{ _tag: "NoDirectory" }, "the current directory does not exist any more [change to the repository to review]"],
    [{ _tag: "BadInterval", text: "x" }, 'OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "x"'],
    [{ _tag: "BadLogLevel", text: "x", expected: "expected y" }, 'OODA_LOG_LEVEL "x": expected y'],
    [
      { _tag: "LogFileUnusable", path: "/a", fault: refused },
      "the log file /a cannot be written: no permission (EACCES: open) [name another with --log-file or OODA_LOG_FILE]"
    ],
    [
      { _tag: "LogFileUnusable", path: "/a", fault: { ...refused, code: "EISDIR" } },
      "the log file /a cannot be written: it is a directory [name another with --log-file or OODA_LOG_FILE]"
    ],
    [
      { _tag: "LogFileReviewed", path: "a" },
      "the log file a would change the code under review with every entry; name a file outside the worktree, " +
      "or one that git ignores"
    ]
  ] as const
)("%o", (reason, message) => assert.strictEqual(new BadEnvironment({ reason }).message, message))
