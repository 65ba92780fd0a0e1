// The built program under the oldest Node of each supported line: help, a step and its mark, every subcommand.
// Its output and exit code do not depend on Node, and Node prints no warning.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { assert, describe } from "vitest"
import { clean } from "../contract/plans.ts"
import { type Ended, it } from "../contract/support.ts"
import { binaryOf, lines, onThisKind } from "./support.ts"

describe.runIf(onThisKind).each(lines)("Node %s", (line) => {
  it("runs the whole program", async ({ world }) => {
    const node = binaryOf(line)
    assert.isTrue(existsSync(node), node)
    assert.match(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout, new RegExp(`^v${line}\\.`))
    world.plan("default", clean)
    const under = (...args: ReadonlyArray<string>): Promise<Ended> =>
      world.stepFrom({ through: `shift; exec '${node}' "$@"` }, ...args)
    // Two words of their own, which take no state root before them.
    const alone = (...args: ReadonlyArray<string>): Promise<Ended> =>
      world.stepFrom({ stateRoot: null, through: `shift; exec '${node}' "$@"` }, ...args)
    const subcommand = (...args: ReadonlyArray<string>): Promise<Ended> =>
      alone(...args, "--state-root", world.stateRoot)
    const ended = async (ending: Promise<Ended>, exit: number, header: string, stdout: RegExp) => {
      const all = await ending
      assert.deepStrictEqual([all.exit, all.header], [exit, header], all.stdout)
      assert.match(all.stdout, stdout)
      assert.notMatch(all.stderr, /Warning/)
    }

    await ended(alone("--help"), 0, "", /^ooda-codex-review drives/)
    await ended(alone("--version"), 0, "", /^\d+\.\d+\.\d+\n$/)
    for (const shell of ["bash", "zsh", "fish"]) await ended(alone("--completions", shell), 0, "", /reclassify/)

    const step = ["--uncommitted", "--ceiling", "medium", "-n", "2"]
    await ended(under(...step), 5, "HandoffAgent: Retrospective", /^$/)
    await ended(under(...step, "--mark-retro-clean"), 7, "Idle", /^retrospective clean at low/)
    await ended(under(...step), 0, "DoneFixedPoint", /^$/)

    await ended(subcommand("runs"), 0, "", /uncommitted/)
    await ended(subcommand("runs", "--prune", "30d", "--dry-run"), 0, "", /^no run is older/)
    await ended(subcommand("replay", "--json"), 0, "", /"RunCreated"/)
    await ended(subcommand("audit"), 0, "", /./)
    await ended(subcommand("findings", "--sarif"), 0, "", /"2\.1\.0"/)
    await ended(subcommand("watch"), 0, "", /medium/)
    await ended(subcommand("stop", "--uncommitted"), 0, "", /^nothing to stop/)
    await ended(subcommand("undo", "--list"), 0, "", /has no snapshots: no agent has worked on it here\n$/)
    await ended(subcommand("doctor"), 0, "", /^ok     node/)
    const nothing = "error: no finding of run"
    const dismissed = await subcommand("dismiss", "0".repeat(16), "--reason", "so")
    assert.deepStrictEqual([dismissed.exit, dismissed.header.slice(0, nothing.length)], [6, nothing])
    await ended(
      subcommand("audit", "--nonsense"),
      64,
      "error: unknown flag --nonsense",
      /^$/
    )
  })
})
