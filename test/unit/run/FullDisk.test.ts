// FullDisk: a failure for lack of space says what fills the disk and what to remove; other failures are unchanged.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { CodeFailed } from "../../../src/code/CodeFailed.ts"
import { SnapshotFailed } from "../../../src/code/Snapshots.ts"
import { LogUnavailable } from "../../../src/log/EventLog.ts"
import { diskUsageText, explainFullDisk, howToFree, isFull } from "../../../src/run/FullDisk.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { storeWith } from "../../support/stores.ts"

const refused = (code: string) => ({ _tag: "SystemRefused", code, call: "write", said: code } as const)
const full = new StoreFailed({ path: "/s/latest", reason: refused("ENOSPC") })

const messageOf = (error: CodeFailed | SnapshotFailed | StoreFailed | LogUnavailable) =>
  Effect.runPromise(
    explainFullDisk("/s", Effect.fail(error)).pipe(
      Effect.flip,
      Effect.provide(
        storeWith({ usage: () => Effect.succeed({ bytes: 5e6, largest: { path: "/s/low-1.log", bytes: 4e6 } }) })
      )
    )
  )

describe("a failure", () => {
  it("for lack of space names what fills the disk, and the remedy", async () =>
    assert.strictEqual(
      (await messageOf(full)).message,
      "/s/latest: the disk is full (ENOSPC: write); the state root /s holds 5.0 MB, 4.0 MB of it in /s/low-1.log " +
        "[ooda-codex-review runs --prune --transcripts --all --state-root /s, then call again]"
    ))

  it("because a copy of the code does not fit on the disk names the remedy once", async () => {
    const place = "/s/isolated/low-1"
    const reason = { _tag: "System", place, fault: refused("ENOSPC") } as const
    const why = `${place}: the disk is full (ENOSPC: write)`
    assert.strictEqual(
      (await messageOf(new CodeFailed({ reason }))).message,
      `${why}; the state root /s holds 5.0 MB, 4.0 MB of it in /s/low-1.log ` +
        "[ooda-codex-review runs --prune --transcripts --all --state-root /s, then call again]"
    )
  })

  it("because a snapshot does not fit on the disk names the remedy", async () => {
    const why = "/s/code: the disk is full (ENOSPC: write)"
    const failed = new SnapshotFailed({ reason: { _tag: "CodeFailed", why, fault: refused("ENOSPC") } })
    assert.match(
      (await messageOf(failed)).message,
      /^\/s\/code: the disk is full .*--state-root \/s, then call again\]$/
    )
  })

  it("of another kind is unchanged", async () => {
    const denied = new StoreFailed({ path: "/s", reason: refused("EACCES") })
    assert.strictEqual(await messageOf(denied), denied)
  })

  it("is for lack of space by its reason, not its text", () => {
    const short = new LogUnavailable({ path: "/l", reason: { _tag: "ShortWrite", written: 1, bytes: 2 } })
    const quota = new LogUnavailable({ path: "/l", reason: refused("EDQUOT") })
    for (const error of [full, short, quota]) assert.isTrue(isFull(error))
    const locked = new LogUnavailable({ path: "/l", reason: { _tag: "NoLockProgram" } })
    for (const error of [locked, new Error("ENOSPC"), { reason: null }, { reason: "full" }]) {
      assert.isFalse(isFull(error))
    }
  })
})

describe("a store that fills its disk", () => {
  it("is described with its largest file, whose path is cut if it is long", () => {
    const facts = { root: "/a b", bytes: 2_100_000_000, largest: { path: "/a b/low-1.log", bytes: 38_120_000 } }
    assert.strictEqual(diskUsageText(facts), "the state root /a b holds 2.1 GB, 38.1 MB of it in /a b/low-1.log")
    assert.strictEqual(howToFree(facts), "ooda-codex-review runs --prune --transcripts --all --state-root '/a b'")
  })

  it("is described as small if something else fills the disk", () => {
    const facts = { root: "/s", bytes: 12_100, largest: { path: "/s/log", bytes: 8_000 } }
    assert.strictEqual(diskUsageText(facts), "the state root /s holds 13 kB, 8 kB of it in /s/log")
    assert.strictEqual(howToFree(facts), "free space on the disk of /s")
    assert.strictEqual(diskUsageText({ ...facts, largest: null }), "the state root /s holds 13 kB")
    assert.strictEqual(howToFree({ ...facts, largest: null }), "free space on the disk of /s")
  })
})
