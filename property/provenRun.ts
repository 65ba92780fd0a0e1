// provenRun: a strict run to its fixed point that the program itself has made, and copies of it that can be forged.
// Real git, real processes and real files; only codex is a fake, which prints codex's own banner and session file.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { execFileSync } from "node:child_process"
import { Effect } from "effect"
import { assert } from "vitest"
import { audit, type AuditReport, Invocation, Live, Ooda, type RunRef } from "../src/index.ts"
import type { Level } from "../src/run/Level.ts"

const FAKE = fileURLToPath(new URL("../fixtures/fake-codex/codex", import.meta.url))

/** A line of a log as written, with encoded events. */
export interface Line {
  at: string
  by: Record<string, unknown>
  events: Array<Record<string, any>>
}

/** A slot of a batch, by its place. */
export interface Slot {
  readonly level: Level
  readonly batch: number
  readonly slot: number
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex")

const body = "The change is correct."
const output = JSON.stringify({
  findings: [],
  overall_correctness: "patch is correct",
  overall_explanation: body,
  overall_confidence_score: 1
})

/** Makes the run in `dir`: a batch with issues, then every level clean. Returns its reference. */
export const proven = async (dir: string): Promise<RunRef> => {
  const [repo, plans, root] = [join(dir, "repo"), join(dir, "plans"), join(dir, "state")]
  for (const path of [repo, plans, join(dir, "home")]) fs.mkdirSync(path, { recursive: true })
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(dir, "home"),
    CODEX_HOME: join(dir, "home"),
    TMPDIR: dir,
    FAKE_CODEX_DIR: plans,
    GIT_CONFIG_NOSYSTEM: "1",
    OODA_AWAIT_SECS: "0.05"
  }
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: repo, env, stdio: "pipe" })
  git("init", "-q", "-b", "main")
  fs.writeFileSync(join(repo, "a.txt"), "one\n")
  git("add", ".")
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "One")
  fs.writeFileSync(join(repo, "a.txt"), "two\n")
  fs.writeFileSync(join(plans, "default"), `session ${output}\nclean ${body}\n`)
  for (const call of ["1", "2"]) fs.writeFileSync(join(plans, call), "issues 1\n")

  const settings = {
    target: { _tag: "Uncommitted" },
    strict: true,
    ceiling: "medium",
    batchSize: 2,
    codexBin: FAKE,
    stateRoot: root
  } as const
  const step = async (expected: string, action?: Parameters<typeof Invocation.make>[1]) => {
    const program = Ooda.step(Invocation.make(settings, action), repo, env)
    const { outcome } = await Effect.runPromise(Effect.provide(program, Live.layer))
    assert.strictEqual("action" in outcome ? outcome.action : outcome._tag, expected)
  }
  const mark = (_tag: "AddressPassed" | "RetroClean", batch: number) =>
    step("Idle", { _tag: "SideEffect", mark: { _tag }, answers: { level: "low", batch, run: null } })
  await step("AddressBatch")
  fs.writeFileSync(join(repo, "a.txt"), "three\n")
  await mark("AddressPassed", 1)
  await step("Retrospective")
  await mark("RetroClean", 2)
  await step("DoneFixedPoint")

  const [runId = "", , targetKey = "", repoId = ""] = dirname(logIn(root)).split("/").reverse()
  return { root, repoId, targetKey, runId }
}

const logIn = (root: string): string => {
  const name = fs.readdirSync(root, { recursive: true, encoding: "utf8" }).find((one) => one.endsWith("manifest.jsonl"))
  return join(root, name ?? assert.fail("no log"))
}

/** A copy of a run, and how single kinds of its evidence are changed. */
export const copyOf = (run: RunRef, to: string) => {
  fs.cpSync(run.root, to, { recursive: true })
  const ref = { ...run, root: to }
  const directory = join(to, run.repoId, run.targetKey, "runs", run.runId)
  const stem = ({ batch, level, slot }: Slot) =>
    join(directory, `levels/level-${level}/batch-${batch}/${level}-${slot}`)
  const path = (of: Slot, kind: "log" | "out" | "exit" | "run" | "review.json"): string =>
    `${stem(of)}.${kind === "run" ? "1.run" : kind}`
  const log = join(directory, "manifest.jsonl")
  const lines = (): Array<Line> => fs.readFileSync(log, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line))

  /** Writes the log anew with valid hashes, and its anchor. */
  const rewrite = (all: ReadonlyArray<Line>): void => {
    const created = all.flatMap(({ events }) => events).find((event) => event["_tag"] === "RunCreated")
    let prev = sha256(`${created?.["runId"]}\n${created?.["nonce"]}`)
    const texts = all.map(({ at, by, events }, i) => {
      const text = JSON.stringify({ v: 1, seq: i + 1, at, by, prev, events }).slice(0, -1)
      prev = sha256(text)
      return `${text},"hash":"${prev}"}\n`
    })
    const whole = texts.join("")
    fs.writeFileSync(log, whole)
    const head = { seq: all.length, hash: prev, offset: Buffer.byteLength(whole) }
    fs.writeFileSync(join(directory, "head.json"), JSON.stringify(head))
  }

  /** Changes the events of the log that it names. */
  const events = (change: (event: Record<string, any>) => void): void => {
    const all = lines()
    all.forEach((line) => line.events.forEach(change))
    rewrite(all)
  }

  const digest = (file: string) => {
    const bytes = fs.readFileSync(file)
    return { algorithm: "sha256", hex: sha256(bytes), bytes: bytes.length }
  }
  const isOf = (of: Slot, event: Record<string, any>): boolean =>
    event["level"] === of.level && event["batch"] === of.batch && event["slot"] === of.slot

  /** Records the digests of what the files of a slot are now. */
  const redigest = (of: Slot): void =>
    events((event) => {
      if (event["_tag"] !== "ReviewFinished" || !isOf(of, event)) return
      event["log"] = digest(path(of, "log"))
      event["out"] = digest(path(of, "out"))
      if (event["review"] !== undefined) event["review"] = digest(path(of, "review.json"))
    })

  const edit = (file: string, change: (text: string) => string): void =>
    fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")))

  /** Everything that the copy holds, as one digest. */
  const whole = (): string => {
    const files = fs.readdirSync(to, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name)).sort()
    return sha256(JSON.stringify(files.map((file) => [file, sha256(fs.readFileSync(file))])))
  }

  return { ref, directory, path, lines, rewrite, events, isOf, redigest, edit, whole }
}
export type Copy = ReturnType<typeof copyOf>

/** What an audit says of a run. */
export const audited = (ref: RunRef): Promise<AuditReport> => Effect.runPromise(Effect.provide(audit(ref), Live.layer))
