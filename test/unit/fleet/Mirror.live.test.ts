// Mirror: the mirror of a repository: where it lies, what git may know there, and fetches that end within their bound.
// A commit counts as there behind its ref alone, and nothing of a failed fetch stays.
import { Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, isAbsolute, join, normalize } from "node:path"
import { assert, describe, it, vi } from "vitest"
import {
  askStranger,
  failedAt,
  fetched,
  fetchInto,
  filesAt,
  inTime,
  madeWhole,
  mostHeld,
  mustStranger,
  placesOf,
  strangersVariables,
  sweep,
  unfetched,
  unfinished
} from "../../../src/fleet/Mirror.live.ts"
import { decode, repoIdOf, type Submission } from "../../../src/fleet/Submission.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"
import { makeServer, pushed, submissionOf, treesDo } from "../../support/strangers.ts"

describe("The mirror of a repository", () => {
  eachInHome()

  it("a fetch keeps both commits behind refs, in packs, and nothing else of the server", async () => {
    const server = makeServer()
    const mirror = inHome("mirrors/name")
    const fetched = () => run(fetchInto(mirror, submissionOf(server), { access: null, most: mostHeld }))
    await fetched()
    const refs = git(mirror, "for-each-ref", "--format=%(refname)").split("\n")
    const kept = refs.map((ref) => ref.replace(/(?<=bases\/)[0-9a-f]{12}/, "BRANCH"))
    const base = [`refs/ooda/bases/BRANCH/${server.base}`, "refs/ooda/through/base"]
    assert.sameMembers(kept, [...base, `refs/ooda/commits/${server.head}`])
    const packs = readdirSync(join(mirror, "objects/pack"))
    assert.isNotEmpty(packs)
    await fetched()
    assert.deepEqual(readdirSync(join(mirror, "objects/pack")), packs)
  })

  it("a base counts only where it is on its branch, as it is or as it once was seen to be", async () => {
    const server = makeServer()
    const { bare, base, repo } = server
    const next = pushed(server, (at) => writeFileSync(join(at, "next.txt"), "next\n"))
    const why = (one: ReturnType<typeof submissionOf>) =>
      run(Effect.match(fetchInto(inHome("mirrors/name"), one, { access: null, most: mostHeld }), {
        onFailure: ({ reason }) => reason._tag,
        onSuccess: () => "fetched"
      }))
    const at = (commit: string, branch = "main") => submissionOf({ ...server, base: commit, head: next }, { branch })
    // An earlier commit of the same pull request, which the mirror may hold already, and one that exists nowhere.
    assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
    assert.strictEqual(await why(at(base)), "fetched")
    assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
    assert.strictEqual(await why(at("1".repeat(40))), "BaseElsewhere")
    // What is on one branch is not on each.
    git(repo, "push", "-q", bare, `${server.head}:refs/heads/next`)
    assert.strictEqual(await why(at(server.head, "next")), "fetched")
    assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
    assert.strictEqual(await why(at(base, "none")), "BranchMissing")
    // A branch that is rewritten takes nothing back from those who were there before.
    const other = git(repo, "commit-tree", "-m", "Other", `${base}^{tree}`)
    git(repo, "push", "-q", "--force", bare, `${other}:refs/heads/main`)
    assert.strictEqual(await why(at(base)), "fetched")
    rmSync(inHome("mirrors"), { recursive: true })
    assert.strictEqual(await why(at(base)), "BaseElsewhere")
    assert.strictEqual(await why(at(other)), "fetched")
  })

  it("what fails in the making is not there", async () => {
    const path = inHome("deep/whole")
    const half = madeWhole(path, (at) =>
      Effect.andThen(
        filesAt(at, () => writeFileSync(join(at, "half"), "")),
        Effect.fail(failedAt(at)({ _tag: "CommitMissing" }))
      ))
    await run(Effect.flip(half))
    assert.isFalse(existsSync(path))
    await run(madeWhole(path, (at) => filesAt(at, () => writeFileSync(join(at, "all"), ""))))
    assert.deepEqual(readdirSync(path), ["all"])
    assert.isFalse(existsSync(unfinished(path)))
    assert.strictEqual(dirname(unfinished(path)), dirname(path))
  })
})

describe("a fetch of strangers' commits", () => {
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

  it("what git says of a missing ref is distinguished from a repository that does not answer", () => {
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
})

describe("git on strangers' repositories", () => {
  eachInHome()
  const access = { host: "github.com", token: Redacted.make("s3cret") }
  const encoded = Buffer.from("x-access-token:s3cret").toString("base64")
  const shows = (repo: string | null): boolean => JSON.stringify(strangersVariables({}, repo, access)).includes(encoded)

  it("a token is shown to its own host, in a fetch, and to no other", () => {
    assert.isTrue(shows("https://github.com/a/b"))
    for (const repo of [null, "https://github.com.evil.example/a", "https://evil.example/github.com/", "file:///a"]) {
      assert.isFalse(shows(repo), `${repo}`)
    }
    const set = Object.values(strangersVariables({}, "https://github.com/a/b", access))
    assert.include(set, "http.https://github.com/.extraHeader")
  })

  it("of this user's variables only what leads to programs and servers is left", () => {
    const own = {
      PATH: "/bin",
      https_proxy: "http://proxy",
      HOME: "/home/a",
      OODA_STORE: "postgres://x:s3cret@h/d",
      GIT_TRACE_CURL: "1",
      GIT_SSH_COMMAND: "evil",
      GIT_DIR: "/x",
      GIT_CONFIG_COUNT: "9"
    }
    const { GIT_CONFIG_COUNT, ...left } = strangersVariables(own, "https://github.com/a/b", null)
    assert.deepInclude(left, { PATH: "/bin", https_proxy: "http://proxy", GIT_ALLOW_PROTOCOL: "https" })
    for (const name of ["HOME", "OODA_STORE", "GIT_TRACE_CURL", "GIT_SSH_COMMAND", "GIT_DIR"]) {
      assert.notProperty(left, name)
    }
    assert.isUndefined(left[`GIT_CONFIG_KEY_${GIT_CONFIG_COUNT}`])
    assert.strictEqual(strangersVariables({}, null, null)["GIT_ALLOW_PROTOCOL"], "")
  })

  it("no program of a repository counts as git, whatever PATH says", async () => {
    const repo = makeRepo()
    for (const name of ["git", "git-remote-https"]) {
      writeFileSync(join(repo, name), `#!/bin/sh\ntouch '${inHome("was-run")}'\n`, { mode: 0o755 })
    }
    vi.stubEnv("PATH", `:.:${process.env["PATH"]}`)
    for (const repository of [null, `file://${repo}`]) {
      const asked = askStranger(repo, ["rev-parse", "HEAD"], repository === null ? null : { repo: repository, access })
      assert.match((await run(asked)).stdout, /^[0-9a-f]{40}\n$/)
    }
    assert.isFalse(existsSync(inHome("was-run")))
  })

  it("git knows the settings, and none of this user; what it refuses is one line", async () => {
    const repo = makeRepo()
    git(repo, "config", "--file", inHome("mine"), "user.name", "Mine")
    const asked = (key: string) => run(askStranger(repo, ["config", "--get", key]))
    assert.strictEqual((await asked("http.followRedirects")).stdout, "false\n")
    assert.strictEqual((await asked("user.name")).code, 1)
    const failed = await run(Effect.flip(mustStranger(repo, "asking", ["rev-parse", "--verify", "nothing"])))
    assert.match(failed.message, /: asking: fatal: .*\[look whether/)
    assert.strictEqual(failedAt("/x")({ _tag: "TreeChanged", what: "HEAD" }).path, "/x")
  })
})

describe("the places of submissions", () => {
  const head = "a".repeat(40)
  const base = "b".repeat(40)
  const given = { repo: "https://github.com/owner/name", pr: 7, head, base, branch: "main" }
  const taken = (what: unknown): Submission => Result.getOrThrow(decode(what, { local: true }))

  it("are named by the repository, the pull request and what is pinned", () => {
    const one = taken({ ...given, repo: "https://github.com/owner/name.git" })
    const id = repoIdOf(one.repo)
    assert.deepStrictEqual(placesOf(one), {
      mirror: `mirrors/${id}`,
      code: `trees/${id}/7/${head}-${base}-${sha256("main").slice(0, 12)}.code`,
      tree: `trees/${id}/7/${head}-${base}-${sha256("main").slice(0, 12)}/name`,
      worktree: `pulls/${id}/7/name`
    })
  })

  it("lie below the work path, whatever the repository and its branch are called", () => {
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "/", "//", "\\", "~", "-", "@", "a", ".git", "name", "%2e%2e", "-upload-pack=x"),
      fc.string({ unit: "binary", maxLength: 4 })
    )
    const text = fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(""))
    const repos = fc.oneof(text.map((rest) => `https://github.com/a${rest}`), text.map((rest) => `file:///a${rest}`))
    const branches = fc.oneof(text, fc.constantFrom("main", "a/b", "a".repeat(200)))
    fc.assert(fc.property(repos, branches, (repo, branch) => {
      const decoded = decode({ ...given, repo, branch }, { local: true })
      if (Result.isFailure(decoded)) return
      for (const place of Object.values(placesOf(decoded.success))) {
        assert.isFalse(isAbsolute(place))
        assert.isTrue(normalize(join("/work", place)).startsWith("/work/"), place)
        assert.strictEqual(normalize(place), place)
        for (const name of place.split("/")) assert.match(name, /^[A-Za-z0-9_~+@][\w.~+@-]{0,150}$/)
      }
    }))
  })

  it("are a tree of its own for each submission that differs in what it shows", () => {
    const sha = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 40, maxLength: 40 })
    const some = fc.record({
      repo: fc.constantFrom("https://github.com/a/x", "https://github.com/b/x", "https://github.com/a/x.git"),
      pr: fc.integer({ min: 1, max: 3 }),
      head: sha,
      base: fc.constantFrom("c".repeat(40), "d".repeat(40)),
      branch: fc.constantFrom("main", "next", "next/main")
    })
    fc.assert(fc.property(some, some, (a, b) => {
      const [one, other] = [taken({ ...given, ...a }), taken({ ...given, ...b })]
      const same = one.repo === other.repo && one.pr === other.pr && one.head === other.head &&
        one.base === other.base && one.branch === other.branch
      for (const place of ["code", "tree"] as const) {
        assert.strictEqual(placesOf(one)[place] === placesOf(other)[place], same)
      }
    }))
  })
})
