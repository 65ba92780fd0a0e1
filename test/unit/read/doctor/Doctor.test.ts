// Doctor: what the doctor checks, the order of its report, and that it never fails.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { CodexHomeFacts } from "../../../../src/agent/CodexHome.live.ts"
import { Git } from "../../../../src/code/Git.ts"
import { type Aside, Snapshots } from "../../../../src/code/Snapshots.ts"
import { Environment, type Variables } from "../../../../src/platform/Environment.ts"
import { goInside } from "../../../../src/platform/GitComplaint.ts"
import { checksText, fine, note, wrong } from "../../../../src/read/doctor/Check.ts"
import type { Answer, StorageFacts } from "../../../../src/read/doctor/Checks.ts"
import { examine } from "../../../../src/read/doctor/Doctor.ts"
import { Machine } from "../../../../src/read/doctor/Machine.ts"
import { CodexMissing, Reviewers } from "../../../../src/review/Reviewers.ts"
import { StoreFailed, type StoreReason } from "../../../../src/run/RunStore.ts"
import { storeWith } from "../../../support/stores.ts"
import { runRef } from "../../run/events.ts"

const said = (stdout: string): Answer => ({ code: 0, stdout, stderr: "", problem: null })
const storage: Omit<StorageFacts, "safetyProblem"> = {
  root: "/s",
  exists: true,
  writeProblem: null,
  filling: null,
  lockProblem: null,
  fileSystem: "ext4",
  network: false
}
const home: CodexHomeFacts = {
  home: "/h/.codex",
  named: false,
  exists: true,
  own: true,
  sessionsProblem: null,
  sessions: 1,
  writeProblem: null,
  provider: null
}

interface Made {
  readonly asked?: Array<string>
  readonly answer?: Answer
  readonly platform?: Machine["Service"]["platform"]
  readonly codex?: string | null
  readonly root?: StoreReason | null
  /** What is wrong below the root. */
  readonly within?: { readonly path: string; readonly reason: StoreReason }
  readonly env?: Variables
  /** The submodules that are not checked out. */
  readonly absent?: ReadonlyArray<string>
  readonly problem?: string
  /** What undo has moved aside in the run of the state root. */
  readonly aside?: Aside
  /** What agents do not get. */
  readonly withheld?: ReadonlyArray<string>
}

const examined = async ({ answer = said("fine"), asked = [], codex = "/bin/codex", env = {}, ...made }: Made = {}) => {
  const machine = Layer.succeed(Machine, {
    nodeVersion: "v22.0.0",
    platform: made.platform ?? "linux",
    ask: (program, args, { cwd }) => Effect.sync(() => (asked.push([cwd, program, ...args].join(" ")), answer)),
    storage: (root) => Effect.succeed({ ...storage, root }),
    codexHome: Effect.succeed(home),
    withheld: (kind) => Effect.succeed((made.withheld ?? []).map((name) => `${name}_${kind}`))
  })
  const reviewers = Layer.mock(Reviewers)({
    locate: (binary) =>
      codex === null
        ? Effect.fail(new CodexMissing({ binary, reason: { _tag: "NameEmpty" } }))
        : Effect.succeed(codex)
  })
  const { absent = [], problem = null, root = null, within } = made
  const store = storeWith({
    list: () =>
      within === undefined
        ? Effect.succeed(made.aside === undefined ? [] : [runRef()])
        : Effect.fail(new StoreFailed(within)),
    roots: () => root === null ? Effect.succeed(["/s"]) : Effect.fail(new StoreFailed({ path: "/s", reason: root }))
  })
  const git = Layer.mock(Git)({
    repository: () => Effect.succeed({ root: "/repo", id: "repo" }),
    overview: () => Effect.succeed({ extent: null, absent, problem })
  })
  const snapshots = Layer.mock(Snapshots)({ aside: () => Effect.succeed(made.aside ?? null) })
  const checks = await Effect.runPromise(
    examine({ cwd: "/here", codexBin: "codex", stateRoot: null }).pipe(
      Effect.provide(Layer.mergeAll(machine, reviewers, store, git, snapshots)),
      Effect.provideService(Environment, env)
    )
  )
  return { checks, check: (name: string) => checks.find((one) => one.name === name) ?? assert.fail(`no ${name}`) }
}

const names = ["node", "git", "repository", "codex", "login", "sessions", "state root", "lock", "gh", "claude"]

describe("the doctor", () => {
  it("checks everything, in a fixed order", async () => {
    const asked: Array<string> = []
    const { checks } = await examined({ asked })
    assert.deepStrictEqual(checks.map(({ name }) => name), names)
    assert.deepStrictEqual(checks.map(({ state }) => state), names.map(() => "fine"))
    assert.sameMembers(asked, [
      "/here git --version",
      "/here gh --version",
      "/here gh auth status",
      "/here claude --version",
      "/here /bin/codex --version",
      "/here /bin/codex review --help",
      "/here /bin/codex login status"
    ])
  })

  it("names what git cannot read and the remedy; outside a repository it only adds a note", async () => {
    const found = async (problem: string) => (await examined({ problem })).check("repository")
    assert.deepInclude(await found("git: ls-files: the index is damaged [git reset]"), {
      state: "wrong",
      found: "the index is damaged",
      fix: "git reset"
    })
    assert.deepInclude(await found("git: ls-files: a new complaint"), {
      state: "wrong",
      found: "a new complaint",
      fix: "git status, to see what it says"
    })
    assert.deepInclude(await found(`git: finding the repository: no repository [${goInside}]`), {
      state: "note",
      found: "no repository",
      fix: goInside
    })
  })

  it("names the submodules that no reviewer will see", async () => {
    const { check } = await examined({ absent: ["lib"] })
    assert.deepInclude(check("submodules"), { state: "note", fix: "git submodule update --init" })
    assert.include(check("submodules").found, "lib: not checked out")
  })

  it("asks nothing of a missing codex", async () => {
    const asked: Array<string> = []
    const { check, checks } = await examined({ asked, codex: null })
    assert.deepStrictEqual(checks.map(({ name }) => name), names)
    assert.deepInclude(check("codex"), {
      state: "wrong",
      found: "codex binary codex: the name is empty [install codex, or name it with --codex-bin]"
    })
    assert.strictEqual(check("login").found, "codex cannot be asked")
    assert.isEmpty(asked.filter((call) => call.includes("codex")))
  })

  it("accepts a login from a variable that is not empty", async () => {
    const login = async (env: Variables) => (await examined({ codex: null, env })).check("login").state
    assert.strictEqual(await login({ CODEX_API_KEY: "k" }), "fine")
    assert.strictEqual(await login({ CODEX_API_KEY: "" }), "wrong")
  })

  it("advises according to why a state root is refused", async () => {
    const open = await examined({ root: { _tag: "OpenToOthers" } })
    assert.deepInclude(open.check("state root"), { state: "wrong", fix: "chmod 700 /s" })
    const foreign = await examined({ within: { path: "/s/r/uncommitted", reason: { _tag: "OfAnotherUser" } } })
    assert.match(foreign.check("state root").found, /^\/s\/r\/uncommitted: belongs to another user/)
    assert.strictEqual(foreign.check("state root").state, "wrong")
    const link = await examined({ root: { _tag: "RootIsLink" } })
    assert.match(link.check("state root").fix ?? "", /^export OODA_STATE_ROOT=/)
  })

  it("names the variables that agents do not get", async () => {
    const found = (await examined({ withheld: ["A_KEY", "B_KEY"] })).checks.filter(({ name }) => name === "variables")
    assert.deepStrictEqual(found.map(({ found, state }) => [state, found]), [
      ["fine", "agents of claude do not get A_KEY_claude, B_KEY_claude"],
      ["fine", "agents of codex do not get A_KEY_codex, B_KEY_codex"]
    ])
  })

  it("says how large is what undo moved aside", async () => {
    const aside = { directory: "/s/run/aside", bytes: 12_000, files: ["lib/.git", "a.txt"] }
    assert.strictEqual(
      (await examined({ aside })).check("aside").found,
      "2 paths moved aside by undo, 12 kB in /s/run/aside"
    )
    assert.notInclude((await examined()).checks.map(({ name }) => name), "aside")
  })
})

const three = [
  fine("git", "git\u001b[31m\u2028x"),
  wrong("node", "v1.0.0 is too old", "install Node"),
  note("gh", "not installed", null)
]

describe("checks", () => {
  it("have one line each for users, and one for the remedy, whatever a program printed", () =>
    assert.strictEqual(
      checksText(three),
      "ok     git         git\\u001b[31m\\u2028x\n" +
        "wrong  node        v1.0.0 is too old\n                   fix: install Node\n" +
        "note   gh          not installed\n"
    ))
})
