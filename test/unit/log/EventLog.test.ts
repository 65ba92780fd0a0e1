// The errors of the log in words: every reason has its message.
import { assert, describe, it } from "vitest"
import {
  LogConflict,
  LogDamaged,
  type LogError,
  LogMissing,
  LogRewound,
  LogTooNew,
  LogUnavailable,
  type UnavailableReason
} from "../../../src/log/EventLog.ts"

const path = "/run/manifest.jsonl"

describe("the message of", () => {
  const messages: { readonly [T in LogError["_tag"]]: readonly [Extract<LogError, { readonly _tag: T }>, string] } = {
    LogMissing: [new LogMissing({ path }), "the log is missing [a step opens a new run]"],
    LogDamaged: [
      new LogDamaged({ path, kind: "bad hash", line: 3, offset: 812 }),
      "damaged at line 3, byte 812: bad hash [audit says more; --fresh starts another run]"
    ],
    LogRewound: [
      new LogRewound({ path, kind: "rolled back" }),
      "the log was rolled back against its head; refusing to go on from it [--fresh starts another run]"
    ],
    LogTooNew: [
      new LogTooNew({ path, reason: { _tag: "FormatVersion", version: 2 } }),
      "format version 2: needs a newer version of ooda-codex-review [update it, then call again]"
    ],
    LogUnavailable: [
      new LogUnavailable({ path, reason: { _tag: "NoLockProgram" } }),
      "none of flock, perl and " +
      "python3 could take a lock; install util-linux's flock, or put it on PATH"
    ],
    LogConflict: [
      new LogConflict({ path, expected: 2, actual: 3 }),
      "expected line 2, found 3: another process committed first [call again]"
    ]
  }
  it.each(Object.values(messages).map(([error, text]) => [error._tag, error, text] as const))(
    "%s",
    (_, error, text) => assert.strictEqual(error.message, `${path}: ${text}`)
  )
})

describe("a log is unavailable for", () => {
  const reasons: ReadonlyArray<readonly [UnavailableReason, string]> = [
    [{ _tag: "NotOfSchema", problem: "no tag" }, "an event does not fit its schema: no tag"],
    [{ _tag: "NotGenesis", event: "RunCreated" }, "the first line of a log must hold its RunCreated"],
    [
      { _tag: "LineTooLong", bytes: 65_537, most: 65_536 },
      "a line of 65537 bytes is larger than the 65536 a line may have"
    ],
    [
      { _tag: "ShortWrite", written: 7, bytes: 9 },
      "only 7 of 9 bytes could be written: the disk is full or a limit is reached"
    ]
  ]
  it.each(reasons)(
    "%o",
    (reason, text) => assert.strictEqual(new LogUnavailable({ path, reason }).message, `${path}: ${text}`)
  )
})
