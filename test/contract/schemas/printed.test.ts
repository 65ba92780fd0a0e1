// printed: what the built program prints with --json is of the schemas in docs/schemas/, for the step and every
// subcommand that has one.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { made } from "../../process/implementing.ts"
import { it, type World } from "../../process/world.ts"
import { documents } from "./documents.ts"
import { problems } from "./valid.ts"

type Name = keyof typeof documents
const seen = new Set<Name>()

/** Calls the program, and holds each document that it prints against its schema; the last of them. */
const printing =
  ({ repo, start }: World, env: Readonly<Record<string, string>> = {}, through: ReadonlyArray<string> = []) =>
  async (name: Name, exits: ReadonlyArray<number>, ...args: ReadonlyArray<string>) => {
    const flag = documents[name]?.flag ?? null
    const argv = [
      ...(["step", "events", "error"].includes(name) ? [] : [name]),
      ...args,
      ...(flag === null ? [] : [flag])
    ]
    const { exit, stderr, stdout } = await start(argv, env, repo, through).ended
    assert.include(exits, exit, `${argv.join(" ")}: ${stderr}`)
    const lines = documents[name]?.lines === true ? stdout.trimEnd().split("\n") : [stdout]
    for (const line of lines) assert.deepStrictEqual(problems(name, line), [], `${argv.join(" ")}: ${line}`)
    seen.add(name)
    return JSON.parse(lines.at(-1) ?? "null")
  }

describe("the JSON documents", () => {
  it("about a step", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    await printing(world)("step", [4], "--uncommitted", "--strict", "-n", "2", "--ceiling", "low", "--inspect")
  })
})

describe("the JSON documents", { tags: "slow" }, () => {
  it("about a run of reviews", async ({ world }) => {
    const print = printing(world)
    const strict = ["--uncommitted", "--strict", "-n", "2", "--ceiling", "low", "--retries", "0"]
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.scenario("1", "fail You have hit your usage limit.")
    world.scenario("default", "issues 2")
    await print("step", [4], ...strict, "--inspect")
    await print("step", [6], ...strict)
    await print("findings", [1])
    await print("step", [5], ...strict)
    const { findings: [first] } = await print("findings", [1])
    await print("dismiss", [0], first.fingerprint, "--reason", "so", "--until", "2999-12-31")
    await print("findings", [1])
    await print("findings", [0], "--all")
    await print("findings", [0], "1")
    await print("dismiss", [0], "--list")
    await print("dismiss", [0], "--undo", first.fingerprint)
    await print("undo", [0], "--list")
    world.scenario("default", "clean")
    await print("step", [0], ...strict, "--fresh")
    const driven = ["--uncommitted", "-n", "1", "--ceiling", "low", "--test", "true"]
    await print("converge", [0], ...driven)
    await print("events", [0], "converge", ...driven, "--fresh")
    await print("attest", [0])
    await print("runs", [0])
    await print("runs", [0], "--prune", "1s", "--dry-run")
    await print("runs", [0], "--prune", "--transcripts")
    await print("audit", [0, 1], "--all", "--reclassify")
    await print("replay", [0])
    const { manifest, seq } = await print("replay", [0], "--at", "2")
    assert.deepStrictEqual([seq, manifest.current_level], [2, "low"])
    await print("status", [0])
    await print("watch", [0])
    await print("stop", [0], "--uncommitted")
    await print("config", [0], "show")
    for (const name of ["status", "watch", "replay", "audit", "findings", "undo"]) {
      await print("error", [6], name, "20200101T000000Z-000000000-p1")
    }
    await print("hook", [0, 1], "status")
    await print("doctor", [0, 1])
  })

  it("about agents", async ({ world }) => {
    const message = "printf 'role: worker\\ntask_id: 7\\nstatus: gaps\\nissues: red\\n' | \"$@\""
    await printing(world, {}, ["sh", "-c", message, "sh"])("result", [1], "--role", "worker", "--task-id", "7")
    const { args: [, ...args], env, runs } = made(world)
    const print = printing(world, env)
    await print("implement", [4], ...args, "--inspect")
    await print("events", [0], "implement", ...args)
    await print("implement", [0], ...args)
    const [run = ""] = runs()
    await print("runs", [0])
    for (const name of ["replay", "status", "watch", "audit"] as const) await print(name, [0], run)
    await print("undo", [0], run, "--list")
    await print("undo", [0], run, "--to", "1")
    const converge = ["--base", "main", "-n", "1", "--ceiling", "low", "--test", "true"]
    await print("converge", [4], ...converge, "--inspect")
    await print("converge", [6], ...converge)
  })

  it("are tried, each of them", () =>
    assert.deepStrictEqual(
      Object.entries(documents).flatMap(([name, document]) => document === null ? [] : [name]).sort(),
      // That of `fleet` needs a database: test/fleet prints it.
      [...seen, "fleet"].sort()
    ))
})
