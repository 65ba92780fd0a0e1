// A fetch of strangers' commits ends within its bound, and leaves nothing where it went too far.
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it, vi } from "vitest"
import { fetched, filesAt, inTime, mostHeld, placesOf, sweep, unfetched } from "../../../src/fleet/Mirror.live.ts"
import { eachInHome, git, inHome, run } from "../code/repositories.ts"
import { makeServer, pushed, submissionOf, treesDo } from "../code/strangers.ts"

eachInHome()

const most = 200_000
const large = (repo: string) => writeFileSync(join(repo, "large"), randomBytes(2 * most))

/** A server, and a mirror of nothing yet. */
const benched = () => {
  const server = makeServer()
  const mirror = inHome("mirror")
  git(inHome(), "init", "-q", "--bare", mirror)
  const fetching = { mirror, repo: `file://${server.bare}`, access: null }
  const packs = () => readdirSync(join(mirror, "objects/pack"))
  const refs = () => git(mirror, "for-each-ref", "--format=%(refname)").split("\n")
  return { ...server, mirror, fetching, packs, refs }
}

describe("a fetch that goes too far", () => {
  it("is refused in one line, and nothing of it stays while what was there does", async () => {
    const { base, fetching, mirror, packs, refs, ...server } = benched()
    await run(fetched({ ...fetching, most }, "refs/heads/main", "refs/ooda/base"))
    const before = packs()
    const head = pushed({ ...server }, large)
    const failed = await run(Effect.flip(fetched({ ...fetching, most }, head, "refs/ooda/head")))
    assert.strictEqual(failed.reason._tag, "FetchTooLarge")
    assert.match(failed.message, /would hold more than 1 MiB \[[^\n]*\]$/)
    assert.deepStrictEqual([packs(), refs()], [before, ["refs/ooda/base"]])
    assert.strictEqual(git(mirror, "rev-parse", "refs/ooda/base"), base)
    // With room for it, it is fetched as ever.
    const done = await run(fetched({ ...fetching, most: mostHeld }, head, "refs/ooda/head"))
    assert.deepStrictEqual([done.code, refs()], [0, ["refs/ooda/base", "refs/ooda/head"]])
  })

  it("is ended while it writes", async () => {
    const { fetching, packs } = benched()
    mkdirSync(inHome("bin"))
    const real = git(inHome(), "--exec-path")
    const endless = `case "$*" in *" fetch "*)
      touch '${inHome("begun")}'; head -c ${2 * most} /dev/zero > objects/pack/tmp_pack_x; exec sleep 600;; esac`
    writeFileSync(inHome("bin/git"), `#!/bin/sh\n${endless}\nexec '${real}/git' "$@"\n`, { mode: 0o755 })
    vi.stubEnv("PATH", `${inHome("bin")}:${process.env["PATH"]}`)
    const failed = await run(Effect.flip(fetched({ ...fetching, most }, "refs/heads/main", "refs/ooda/base")))
    assert.isTrue(existsSync(inHome("begun")))
    assert.strictEqual(failed.reason._tag, "FetchTooLarge")
    assert.isEmpty(packs())
  })

  it("makes no tree, and the head after it may be reviewed", async () => {
    const server = makeServer()
    const one = submissionOf({ ...server, head: pushed(server, large) })
    const failed = await treesDo((trees) => Effect.flip(trees.open(one)), { most })
    assert.strictEqual(failed.reason._tag, "FetchTooLarge")
    assert.isFalse(existsSync(inHome("work", placesOf(one).tree)))
    await treesDo((trees) => trees.open(submissionOf(server)), { most })
  })
})

it("a visit that takes longer than others wait for it is ended, in one line", async () => {
  const ended: Array<string> = []
  const slow = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended.push("git")))
  const failed = await run(
    Effect.gen(function*() {
      const visit = yield* Effect.forkChild(Effect.flip(inTime("/mirror", slow)))
      yield* TestClock.adjust("15 minutes")
      return yield* Fiber.join(visit)
    }).pipe(Effect.provide(TestClock.layer()))
  )
  assert.match(failed.message, /^\/mirror: fetching: git [^\n]* \[look/)
  assert.deepStrictEqual(ended, ["git"])
})

it("what git says of a missing ref is told from a repository that does not answer", () => {
  const done = { code: 128, stdout: "", problem: null }
  const missing = { _tag: "CommitMissing" } as const
  const why = (stderr: string) => unfetched("/mirror", { ...done, stderr }, missing).reason._tag
  assert.strictEqual(why("fatal: couldn't find remote ref refs/heads/main"), "CommitMissing")
  assert.strictEqual(why("fatal: unable to access"), "GitRefused")
})

it("what a killed fetch leaves is swept away, and no pack", async () => {
  const { fetching, mirror, packs } = benched()
  await run(fetched({ ...fetching, most }, "refs/heads/main", "refs/ooda/base"))
  const before = packs()
  for (const name of ["objects/pack/tmp_pack_x", "refs/ooda/base.lock", "config.lock"]) {
    writeFileSync(join(mirror, name), "")
  }
  await run(filesAt(mirror, () => sweep(mirror)))
  assert.deepStrictEqual(packs(), before)
  assert.isFalse(existsSync(join(mirror, "refs/ooda/base.lock")) || existsSync(join(mirror, "config.lock")))
  const failed = await run(Effect.flip(filesAt("/x", () => readdirSync(join(mirror, "none")))))
  assert.strictEqual(failed.path, "/x")
})
