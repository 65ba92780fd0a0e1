// `doctor` on machines with one thing wrong: it names that and nothing else, and the command that fixes it.
// What is wrong is really so: directories that cannot be read, links, other owners, other programs.
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"
import { basics, loggedIn, loggedOut, machine, which } from "./doctorMachines.ts"

// A privileged root reads even files without read permission; without that privilege it is an ordinary user.
const root = process.getuid?.() === 0
const unprivileged = [
  which("setpriv") || "setpriv",
  ...["--bounding-set", "--inh-caps"].map((set) => `${set}=-dac_override,-dac_read_search`)
]
const plain = !root || spawnSync("sh", ["-c", `${unprivileged.join(" ")} true`], { stdio: "ignore" }).status === 0
if (!plain) console.warn("SKIPPED: no setpriv for root; directories that cannot be read are not tested here")
if (!root) console.warn("SKIPPED: not root; directories that belong to another user are not tested here")

interface Broken {
  readonly name: string
  /** Breaks it; gives what to change in the environment. */
  readonly breaks: (world: World) => Readonly<Record<string, string>>
  readonly found: RegExp
  readonly remedy: RegExp
  readonly when?: boolean
}
const script = (world: World, name: string, text: string): Readonly<Record<string, string>> => {
  writeFileSync(join(world.path("bin"), name), `#!/bin/sh\n${text}\n`, { mode: 0o700 })
  return {}
}
/** Where runs are kept by default. */
const ownDirectory = (world: World): string => world.path("tmp/ooda-codex-review")
const broken: ReadonlyArray<Broken> = [
  {
    name: "node",
    breaks: (world) => {
      const shim = world.path("old.mjs")
      writeFileSync(shim, `Object.defineProperty(process, "version", { value: "v18.20.8" })`)
      return { NODE_OPTIONS: `--import ${shim}` }
    },
    found: /^v18\.20\.8 is too old$/,
    remedy: /^install Node 20\.19 or later/
  },
  {
    name: "git",
    breaks: (world) => script(world, "git", "echo 'git: cannot open shared object file' >&2; exit 127"),
    found: /cannot open shared object/,
    remedy: /apt-get install git/
  },
  {
    name: "repository",
    breaks: (world) => {
      chmodSync(world.repo, 0o777)
      chownSync(world.repo, 65_534, 65_534)
      return {}
    },
    found: /^fatal: detected dubious ownership in repository at /,
    remedy: /^git config --global --add safe\.directory \S+\/repo$/,
    when: root
  },
  {
    name: "repository",
    breaks: (world) => {
      writeFileSync(join(world.repo, ".git/HEAD"), "damaged\n")
      return {}
    },
    found: /^git cannot read the repository \S+\/repo\/\.git: its HEAD, objects or refs are missing or damaged$/,
    remedy: /^if HEAD is damaged: echo "ref: refs\/heads\/BRANCH" >\S+\/repo\/\.git\/HEAD, /
  },
  {
    name: "codex",
    breaks: (world) =>
      script(world, "codex", `if [ "$1" = login ]; then exit 0; fi; echo 'Missing optional dependency' >&2; exit 1`),
    found: /\/bin\/codex: Missing optional dependency$/,
    remedy: /^npm install -g @openai\/codex@latest/
  },
  {
    name: "codex",
    breaks: (world) => script(world, "codex", `case $1 in review) exit 2 ;; *) echo fine ;; esac`),
    found: /has no review command$/,
    remedy: /^npm install -g @openai\/codex@latest/
  },
  {
    name: "login",
    breaks: (world) => script(world, "codex", loggedOut),
    found: /^Not logged in$/,
    remedy: /^codex login, or set CODEX_API_KEY$/
  },
  {
    name: "sessions",
    breaks: (world) => {
      mkdirSync(world.path("home/.codex/sessions"), { recursive: true })
      chmodSync(world.path("home/.codex/sessions"), 0)
      return {}
    },
    found: /\/\.codex\/sessions: no permission/,
    remedy: /^chmod -R u\+rwX \S+\/home\/\.codex\/sessions$/,
    when: plain
  },
  {
    name: "sessions",
    breaks: (world) => {
      mkdirSync(world.path("home/.codex/sessions"), { recursive: true, mode: 0o700 })
      chmodSync(world.path("home/.codex/sessions"), 0o700)
      chownSync(world.path("home/.codex/sessions"), 65_534, 65_534)
      return {}
    },
    found: /\/\.codex\/sessions: no permission/,
    remedy: /^sudo chown -R "\$\(id -un\)" \S+\/home\/\.codex$/,
    when: root && plain
  },
  {
    name: "sessions",
    breaks: (world) => {
      mkdirSync(world.path("home/.codex"))
      writeFileSync(world.path("home/.codex/sessions"), "")
      return {}
    },
    found: /\/\.codex\/sessions: ENOTDIR/,
    remedy: /^mv \S+\/sessions \S+\/sessions\.old$/
  },
  {
    name: "state root",
    breaks: (world) => {
      mkdirSync(world.path("elsewhere"))
      symlinkSync(world.path("elsewhere"), ownDirectory(world))
      return {}
    },
    found: /is a link/,
    remedy: /^export OODA_STATE_ROOT=.*--state-root/
  },
  {
    name: "state root",
    breaks: (world) => {
      mkdirSync(ownDirectory(world))
      chownSync(ownDirectory(world), 65_534, 65_534)
      return {}
    },
    found: /belongs to another user/,
    remedy: /^export OODA_STATE_ROOT=.*--state-root/,
    when: root
  },
  {
    name: "state root",
    breaks: (world) => {
      mkdirSync(ownDirectory(world), { mode: 0o500 })
      return {}
    },
    found: /no permission/,
    remedy: /^export OODA_STATE_ROOT=.*--state-root/,
    when: plain
  }
]
describe.concurrent("doctor", () => {
  for (const [i, { breaks, found, remedy, name, when = true }] of broken.entries()) {
    const tags = i < 2 ? [] : ["slow"]
    it.runIf(when)(`reports one thing that is wrong, ${name}: ${found.source}`, { tags }, async ({ world }) => {
      const bin = world.path("bin")
      const others = basics.filter((one) => one !== name)
      renameSync(machine(world, others, { codex: loggedIn, gh: "echo gh version 2.0.0" }), bin)
      const env = { PATH: bin, OODA_STATE_ROOT: "", CODEX_API_KEY: "", OPENAI_API_KEY: "", ...breaks(world) }
      const run = (...args: ReadonlyArray<string>) =>
        world.start(["doctor", ...args], env, world.repo, root && plain ? unprivileged : [])
      const ended = await run("--json").ended
      assert.deepEqual([ended.exit, ended.stderr], [1, ""])
      const { checks, ok } = JSON.parse(ended.stdout)
      assert.isFalse(ok)
      const wrong = checks.filter(({ state }: { readonly state: string }) => state === "Wrong")
      assert.lengthOf(wrong, 1, ended.stdout)
      assert.strictEqual(wrong[0].name, name)
      assert.match(wrong[0].found, found)
      assert.match(wrong[0].fix, remedy)
      if (i > 0) return
      const people = await run().ended
      assert.strictEqual(people.exit, 1)
      assert.include(people.stdout, `\n${" ".repeat(19)}fix: ${wrong[0].fix}\n`)
    })
  }
})

describe("a limit on open files", () => {
  it("is named as the cause, by a step and by doctor", async ({ world }) => {
    // What the program itself needs differs from one Node to the next.
    for (const limit of [34, 31, 28, 25, 22]) {
      const through = ["sh", "-c", `ulimit -n ${limit}; exec "$@"`, "sh"]
      const step = await world.start(["--uncommitted", "-n", "1"], {}, world.repo, through).ended
      const doctor = await world.start(["doctor"], {}, world.repo, through).ended
      assert.notInclude(step.stderr + doctor.stdout, "flock, perl and python3")
      if (step.exit !== 6 || !/^wrong  lock/m.test(doctor.stdout)) continue
      assert.match(step.header, /EMFILE/)
      assert.match(
        doctor.stdout,
        /^wrong  lock +too many open files; raise the limit \(ulimit -n\).*\n +fix: ulimit -n 1024$/m
      )
      return
    }
    assert.fail("no limit kept the step from its locks")
  })
})
