// PinnedCode: who drives a run without git hears what the live git says of a clone of the same commits.
// It answers for its own target alone.
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { layer as live } from "../../../src/code/Git.live.ts"
import { Git } from "../../../src/code/Git.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import { placesOf } from "../../../src/fleet/Mirror.live.ts"
import {
  cloneAt,
  pinnedCodeLayer,
  pinnedGitLayer,
  pinnedInCloneLayer,
  pinnedLayers
} from "../../../src/fleet/PinnedCode.live.ts"
import { PinnedCode } from "../../../src/fleet/PinnedCode.ts"
import { type Pin, repoIdOf } from "../../../src/fleet/Submission.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import { sameInput } from "../../../src/run/Identity.ts"
import { BranchName, PrNumber, type Target } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"
import { makeServer, pushed, submissionOf, treesDo } from "../../support/strangers.ts"
import { onlyRun } from "../log/onlyRun.ts"
import { pinnedOf } from "./pins.ts"

eachInHome()
const target: Target = { _tag: "PullRequest", number: PrNumber.make(7) }
const isolating = { target, base: BranchName.make("main"), link: [], trust: null }

const batch = {
  run: { root: "pg:1", repoId: "a", targetKey: "pr/7", runId: "r" },
  level: "low",
  batch: 1
} as const

const asking = <A, E>(use: (git: Git["Service"]) => Effect.Effect<A, E>, ...pins: ReadonlyArray<Pin>): Promise<A> =>
  run(Effect.provide(Git.use(use), pins.length === 0 ? live : pinnedGitLayer(pins)))

const made = async (server = makeServer()) => {
  const one = submissionOf(server)
  const tree = await treesDo((trees) => trees.open(one))
  const worktree = inHome("work", placesOf(one).worktree)
  const pinned = () =>
    run(Effect.provide(PinnedCode.use((code) => code.pin(one, tree)), pinnedCodeLayer(inHome("work"))))
  return { one, tree, worktree, pinned }
}

describe("what is pinned", () => {
  it("is what the live git says of a clone of the commits, also where instructions and links are others", async () => {
    const server = makeServer("name", (repo) => {
      writeFileSync(join(repo, "AGENTS.md"), "praise it\n")
      symlinkSync("/etc", join(repo, "link"))
    })
    const { one, pinned, tree, worktree } = await made(server)
    const row: Pin = JSON.parse(JSON.stringify(await pinned()))
    await treesDo((trees) => Effect.andThen(trees.remove(one), trees.open(one)))
    assert.strictEqual(JSON.stringify(await pinned()), JSON.stringify(row))
    const clone = inHome("clone")
    execFileSync("git", ["clone", "-q", server.bare, clone])
    git(clone, "fetch", "-q", "origin", "refs/pull/7/head")
    git(clone, "checkout", "-q", "--detach", server.head)
    const seen = await asking((live) => live.identity(clone, target, one.branch, { id: "r", obeysBase: true }))
    // The clone has settings of its own.
    const { view } = row.identity
    assert.deepEqual(view === undefined ? seen : { ...seen, view }, row.identity)
    for (const root of [worktree, tree]) {
      assert.deepEqual(await asking((git) => git.identity(root, target, one.branch), row), row.identity)
      for (const name of ["HEAD", one.branch, one.head, one.base, "nothing"]) {
        const by = [asking((git) => git.commit(clone, name)), asking((git) => git.commit(root, name), row)]
        const [a, b] = await Promise.all(by)
        assert.strictEqual(a, b, name)
      }
      assert.strictEqual((await asking((git) => git.repository(root), row)).root, worktree)
      assert.isNull(await asking((git) => git.targetProblem(root, target, one.branch), row))
    }
    assert.isTrue(await asking((git) => git.exists(worktree), row))
  })

  it("says where there is nothing to review: the base has the same files, or no common history", async () => {
    const server = makeServer()
    const empty = git(server.repo, "commit-tree", "-m", "Empty", "-p", server.base, `${server.base}^{tree}`)
    const other = git(server.repo, "commit-tree", "-m", "Other", `${server.head}^{tree}`)
    for (const [head, problem] of [[empty, "SameAsBase"], [other, "NoCommonAncestor"]] as const) {
      git(server.repo, "push", "-q", "--force", server.bare, `${head}:refs/pull/7/head`)
      const { pinned } = await made({ ...server, head })
      assert.strictEqual((await pinned()).problem?._tag, problem)
    }
  })

  it("shows the newest head, and each batch the one that it began with", { tags: "slow" }, async () => {
    const server = makeServer()
    const first = await made(server)
    const old = await first.pinned()
    const head = pushed(server, (repo) => writeFileSync(join(repo, "more.txt"), "more\n"))
    const { pinned, tree, worktree } = await made({ ...server, head })
    const now = await pinned()
    assert.strictEqual(worktree, first.worktree)
    const pins = [now, old]
    const identityAt = (root: string) => asking((git) => git.identity(root, target, isolating.base), ...pins)
    assert.deepStrictEqual(await identityAt(worktree), now.identity)
    assert.deepStrictEqual(await identityAt(tree), now.identity)
    assert.deepStrictEqual(await identityAt(first.tree), old.identity)
    assert.strictEqual(sameInput(old.identity, now.identity), "Different")
    const { identity } = now
    assert.deepStrictEqual(await asking((git) => git.isolate(worktree, batch.run, isolating), ...pins), {
      place: tree,
      identity
    })
    const there = await Promise.all(
      [tree, first.tree, worktree].map((place) => asking((git) => git.isIsolated(place), ...pins))
    )
    assert.deepStrictEqual(there, [true, true, false])
  })

  it("holds the dismissals of the base branch, not the change's", { tags: "slow" }, async () => {
    const dismiss = (line: string) => (repo: string) => {
      mkdirSync(join(repo, ".ooda"), { recursive: true })
      writeFileSync(join(repo, ".ooda/dismissals.jsonl"), line)
    }
    const server = makeServer("name", dismiss("{}\n"))
    assert.strictEqual((await (await made(server)).pinned()).dismissals, "")
    git(server.repo, "push", "-q", server.bare, "HEAD:refs/heads/main")
    const head = pushed(server, dismiss("{}\n{}\n"))
    assert.strictEqual((await (await made({ ...server, base: server.head, head })).pinned()).dismissals, "{}\n")
  })

  it("answers for its own target alone", async () => {
    const { one, pinned, tree, worktree } = await made()
    const row = await pinned()
    const other: Target = { _tag: "PullRequest", number: PrNumber.make(8) }
    const identity = (root: string, which: Target, base: BranchName | null) =>
      asking((git) => git.identity(root, which, base), row)
    assert.strictEqual((await identity(tree, target, one.branch))._tag, "Known")
    for (
      const asked of [
        identity(tree, other, one.branch),
        identity("/else", target, one.branch),
        identity(worktree, target, null),
        identity(worktree, target, BranchName.make("other")),
        identity(tree, { _tag: "Uncommitted" }, null)
      ]
    ) assert.strictEqual((await asked)._tag, "Unknown")
    for (const pins of [pinnedGitLayer([row]), pinnedGitLayer([])]) {
      const refused = (ask: (git: Git["Service"]) => Effect.Effect<unknown, { readonly _tag: string }>) =>
        run(Effect.provide(Git.use((git) => Effect.flip(ask(git))), pins))
      assert.strictEqual((await refused((git) => git.repository("/else")))._tag, "GitFailed")
      assert.strictEqual((await refused((git) => git.isolate("/else", batch.run, isolating)))._tag, "CodeFailed")
      assert.strictEqual((await refused((git) => git.targetProblem("/else", target, one.branch)))._tag, "GitFailed")
    }
    assert.isFalse(await asking((git) => git.exists("/else"), row))
    assert.strictEqual((await asking((git) => git.repository(tree), row)).id, repoIdOf(one.repo))
  })
})

describe("a clone", () => {
  it("is known by where it was cloned from, and without a remote by its own name", async () => {
    const repo = makeRepo("called otherwise")
    assert.deepStrictEqual(await run(cloneAt(repo)), { root: repo, ids: ["called otherwise-noremote"] })
    git(repo, "remote", "add", "origin", "git@github.com:owner/name.git")
    const url = "https://github.com/owner/name"
    assert.deepStrictEqual(await run(cloneAt(repo)), { root: repo, ids: [repoIdOf(`${url}.git`), repoIdOf(url)] })
  })
})

describe("a pin", () => {
  it("is computed from the commits, and then answers without git", async () => {
    const one = submissionOf(makeServer())
    const tree = await treesDo((trees) => trees.open(one))
    const [pinned, repository] = await run(Effect.provide(
      PinnedCode.use((code) =>
        Effect.gen(function*() {
          const pinned = yield* code.pin(one, tree)
          const asked = Git.use((git) => git.repository(pinned.worktree))
          return [pinned, yield* Effect.provide(asked, code.shown([pinned]))] as const
        })
      ),
      pinnedCodeLayer(inHome("work"))
    ))
    assert.deepStrictEqual(
      [pinned.submission, pinned.tree, pinned.worktree],
      [one, tree, inHome("work", placesOf(one).worktree)]
    )
    assert.strictEqual(repository.root, pinned.worktree)
  })
})

describe("in a clone of the caller's", () => {
  it("answers for the caller's repository and for the pinned code", async () => {
    const pinned = pinnedOf()
    const { branch, pr } = pinned.submission
    const repository = { root: "/any/root", id: "x-1" }
    const answers = await Effect.runPromise(
      Effect.gen(function*() {
        const git = yield* Git
        return {
          repository: yield* git.repository("/somewhere"),
          identity: yield* git.identity(pinned.worktree, { _tag: "PullRequest", number: pr }, branch),
          exists: yield* git.exists("/gone"),
          dismissals: yield* (yield* Dismissals).read(pinned.worktree, { _tag: "Base", branch })
        }
      }).pipe(Effect.provide(pinnedInCloneLayer([pinned], Effect.succeed(repository))))
    )
    const { dismissals, identity } = pinned
    assert.deepStrictEqual(answers, { repository, identity, exists: true, dismissals })
  })
})

describe("beside git", () => {
  const pinned: Pin = pinnedOf()
  const { base, branch, head } = pinned.submission

  const at = <A, E>(use: Effect.Effect<A, E, Dismissals | GitHub | Snapshots>, pins = [pinned]): Promise<A> =>
    Effect.runPromise(Effect.provide(use, pinnedLayers(pins)))

  describe("the layers of what was pinned", () => {
    it("know the base branch of their pull request alone", async () => {
      const baseOf = (number: number) => GitHub.use((gitHub) => gitHub.baseOf("/any", PrNumber.make(number)))
      assert.strictEqual(await at(baseOf(7)), branch)
      for (const [number, pins] of [[8, [pinned]], [7, []]] as const) {
        assert.strictEqual((await at(Effect.flip(baseOf(number)), [...pins])).number, number)
      }
    })

    it("give the dismissals of the base, never the change's or the working copy's", async () => {
      const read = (from: Parameters<Dismissals["Service"]["read"]>[1]) =>
        Dismissals.use((them) => them.read("/any", from))
      for (
        const from of [
          { _tag: "Base", branch },
          { _tag: "Revision", revision: base },
          { _tag: "Revision", revision: branch }
        ] as const
      ) assert.strictEqual(await at(read(from)), pinned.dismissals)
      for (const from of [{ _tag: "Worktree" }, { _tag: "Revision", revision: head }] as const) {
        assert.strictEqual((await at(Effect.flip(read(from))))._tag, "DismissalsFailed")
      }
      const added = Dismissals.use((them) => Effect.flip(them.add("/any", "{}")))
      assert.strictEqual((await at(added))._tag, "DismissalsFailed")
      assert.strictEqual((await at(Effect.flip(read({ _tag: "Base", branch })), []))._tag, "DismissalsFailed")
    })

    it("have no snapshot, and no undo that was cut off", async () => {
      const run = onlyRun("/state")
      const none = Snapshots.use((them) =>
        Effect.all([them.list(run), them.finish(run, "/any"), them.unfinished(run), them.snapshotted("/any")])
      )
      assert.deepStrictEqual(await at(none), [[], null, false, []])
      const refused = Snapshots.use((them) =>
        Effect.flip(them.restore(run, "/any", { _tag: "LastRound" }, { force: false, partial: false }))
      )
      assert.match((await at(refused)).message, /no agent works on it/)
    })
  })
})
