// A failure for want of space is told with what fills the disk; every other one is told as it is.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { isFull, explainFullDisk } from "../../../src/run/FullDisk.ts"
import { LogUnavailable } from "../../../src/log/EventLog.ts"
import { CodeFailed } from "../../../src/code/CodeFailed.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { storeWith } from "../read/stores.ts"

const refused = (code: string) => ({ _tag: "SystemRefused", code, call: "write", said: code } as const)
const full = new StoreFailed({ path: "/s/latest", reason: refused("ENOSPC") })
const told = (error: CodeFailed | StoreFailed | LogUnavailable) =>
  Effect.runPromise(
    explainFullDisk("/s", Effect.fail(error)).pipe(
      Effect.flip,
      Effect.provide(
        storeWith({ usage: () => Effect.succeed({ bytes: 5e6, largest: { path: "/s/low-1.log", bytes: 4e6 } }) })
      )
    )
  )

describe("a failure", () => {
  it("for want of space names what fills the disk, and what to do", async () =>
    assert.strictEqual(
      (await told(full)).message,
      "/s/latest: the disk is full (ENOSPC: write); the state root /s holds 5.0 MB, 4.0 MB of it in /s/low-1.log " +
        "[ooda-codex-review runs --prune --transcripts --all --state-root /s, then call again]"
    ))

  it("for want of space for a copy of the code is told once what to do", async () => {
    const place = "/s/isolated/low-1"
    const reason = { _tag: "System", place, fault: refused("ENOSPC") } as const
    const why = `${place}: the disk is full (ENOSPC: write)`
    assert.strictEqual(
      (await told(new CodeFailed({ reason }))).message,
      `${why}; the state root /s holds 5.0 MB, 4.0 MB of it in /s/low-1.log ` +
        "[ooda-codex-review runs --prune --transcripts --all --state-root /s, then call again]"
    )
  })

  it("of another kind stays what it is", async () => {
    const denied = new StoreFailed({ path: "/s", reason: refused("EACCES") })
    assert.strictEqual(await told(denied), denied)
  })

  it("is one for want of space by its reason alone", () => {
    const short = new LogUnavailable({ path: "/l", reason: { _tag: "ShortWrite", written: 1, bytes: 2 } })
    const quota = new LogUnavailable({ path: "/l", reason: refused("EDQUOT") })
    for (const error of [full, short, quota]) assert.isTrue(isFull(error))
    const locked = new LogUnavailable({ path: "/l", reason: { _tag: "NoLockProgram" } })
    for (const error of [locked, new Error("ENOSPC"), { reason: null }, { reason: "full" }]) {
      assert.isFalse(isFull(error))
    }
  })
})
