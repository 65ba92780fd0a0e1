// authority: what agents and tests may not decide about the runs of their own worktree, however they call.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { CLI, it, type World } from "./world.ts"

const target = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

/** A run with one finding in every review, and a call of this program by its agent, as `how` says. */
const given = (world: World, how: (call: string) => string, test: ReadonlyArray<string> = ["--no-test"]) => {
  appendFileSync(`${world.repo}/a.txt`, "two\n")
  world.scenario("default", "issues 1")
  const cli = `OODA_STATE_ROOT=${world.stateRoot} ${process.execPath} ${CLI}`
  const agent = `echo fixed >>a.txt; ${how(cli)}; printf 'role: worker\\n'; ` +
    'echo "task_id: $OODA_TASK_ID"; echo "status: pass"; echo "git_range: HEAD..HEAD"'
  return [
    "converge",
    ...target,
    ...test,
    "--retro",
    "never",
    "--patience",
    "1",
    "--agent-cmd",
    agent,
    "--allow",
    "unsandboxed"
  ]
}

const refusal =
  /^(?:error|BinaryError): an agent, a test or a reviewer of run \S+ may not decide about its worktree \[a person can\]$/m

describe.concurrent("an agent or a test", () => {
  const dismissal = "dismiss 1 --reason fine"
  const ways: ReadonlyArray<readonly [string, (call: string, said: string) => string]> = [
    ["with the variable of its job", (call, said) => `${call} ${dismissal} >${said} 2>&1`],
    [
      "without it, below a process that has it",
      (call, said) => `env -u OODA_ATTEMPT ${call} ${dismissal} >${said} 2>&1`
    ],
    [
      "in a session of its own, with the limit alone",
      (call, said) =>
        `(env -u OODA_ATTEMPT setsid sh -c '${call} ${dismissal} >${said} 2>&1; touch ${said}.done' &); ` +
        `until [ -e ${said}.done ]; do sleep 0.05; done`
    ],
    ["for the repository", (call, said) => `${call} ${dismissal} --scope repo >${said} 2>&1`],
    ["by a mark", (call, said) => `${call} ${target.join(" ")} --mark-address-passed >${said} 2>&1`],
    ["by a step", (call, said) => `${call} ${target.join(" ")} --fresh >${said} 2>&1`],
    ["by init", (call, said) => `${call} init --yes --test true >${said} 2>&1`],
    [
      "by init with another place for runs",
      (call, said) => `${call} init --yes --test true --state-root ${said}.root >${said} 2>&1`
    ]
  ]
  it.for(ways)("decides nothing %s", async ([, way], { world }) => {
    const said = world.path("said")
    await world.start(given(world, (call) => way(call, said))).ended
    assert.match(readFileSync(said, "utf8"), refusal)
    assert.lengthOf(world.events("FindingDismissed"), 0)
    assert.isFalse(existsSync(`${world.repo}/.ooda`))
  })

  it("decides nothing by a test that the agent wrote, nor once its run is over", async ({ world }) => {
    const said = world.path("said")
    const write = (call: string) => `echo '${call} ${dismissal} >${said} 2>&1; true' >test.sh`
    writeFileSync(`${world.repo}/test.sh`, "true\n")
    world.git("add", "test.sh")
    world.git("commit", "-qm", "Test")
    const { exit } = await world.start(given(world, write, ["--test", "sh test.sh"])).ended
    assert.strictEqual(exit, 2)
    assert.match(readFileSync(said, "utf8"), refusal)
    const [started] = world.events("ReviewStarted")
    const late = await world.start(dismissal.split(" "), { OODA_ATTEMPT: String(started?.["id"]) }).ended
    assert.strictEqual(late.exit, 6)
    assert.match(late.stderr, refusal)
    assert.lengthOf(world.events("FindingDismissed"), 0)
    assert.strictEqual((await world.step(...dismissal.split(" "))).exit, 0)
    const [dismissed] = world.events("FindingDismissed")
    assert.notProperty(dismissed, "inRound")
    const undo = ["dismiss", "--undo", String(dismissed?.["fingerprint"])]
    assert.match((await world.start(undo, { OODA_ATTEMPT: String(started?.["id"]) }).ended).stderr, refusal)
  })

  it("calls this program for another worktree as anybody", async ({ world }) => {
    const other = world.path("other")
    const said = world.path("said")
    world.git("worktree", "add", "-q", other)
    await world.start(given(world, (call) => `(cd ${other} && ${call} init --yes --test true) >${said} 2>&1`)).ended
    assert.include(readFileSync(said, "utf8"), "wrote .ooda/config.toml")
  })
})

describe.concurrent("a dismissal of a process that is not recognised, in a round", () => {
  const unseen = (call: string, said: string, how: string) =>
    `(env -i setsid sh -c 'sleep 0.3; ulimit -S -x unlimited 2>/dev/null || ulimit -S -w unlimited; ` +
    `${call} dismiss 1 --reason fine ${how} >${said} 2>&1; touch ${said}.done' &); ` +
    `until [ -e ${said}.done ]; do sleep 0.05; done`

  it("is named with who made it, until a person dismisses it again", async ({ world }) => {
    const said = world.path("said")
    const call = given(world, (cli) => unseen(cli, said, ""))
    const { exit, stderr } = await world.start(call).ended
    assert.strictEqual(exit, 0, stderr)
    const [event] = world.events("FindingDismissed")
    assert.deepInclude(event?.["inRound"], { round: 1 })
    const name = / was dismissed in round 1 by process \d+ \(called by sh\b/
    assert.match(stderr, name)
    assert.match((await world.step("status")).stdout, name)
    const { stdout } = await world.step("audit")
    assert.match(stdout, /note {5}[0-9a-f]{16} was dismissed in round 1 by process /)
    assert.match(stdout, /waived: [0-9a-f]{16} P1 is dismissed for the run "fine", in round 1 by process /)
    assert.match((await world.step("attest")).stdout, /"inRound":\{"pid":\d+,"programs":\["sh"/)
    assert.strictEqual((await world.step("dismiss", "1", "--reason", "fine")).exit, 0)
    assert.notMatch((await world.step("status")).stdout, name)
    assert.strictEqual((await world.start(call).ended).exit, 0)
    assert.notMatch((await world.step("audit")).stdout, name)
  })

  it("is refused for the repository", async ({ world }) => {
    const said = world.path("said")
    await world.start(given(world, (call) => unseen(call, said, "--scope repo"))).ended
    assert.match(
      readFileSync(said, "utf8"),
      /^error: agents work on run \S+, and may not change \.ooda\/dismissals\.jsonl \[use --scope run\]$/m
    )
    assert.isFalse(existsSync(`${world.repo}/.ooda`))
  })
})
