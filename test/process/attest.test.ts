// Attestations of real runs, by the built CLI: written, checked, forged, refused, signed with the tools that are named.
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Ajv from "ajv"
import { assert, describe } from "vitest"
import { problems } from "../contract/schemas/valid.ts"
import { it, type World } from "./world.ts"

const root = join(import.meta.dirname, "../..")
const inToto = new Ajv({ format: "full", allErrors: true })
  .compile(JSON.parse(readFileSync(join(root, "fixtures/in-toto/statement.v1.schema.json"), "utf8")))

const output = {
  findings: [],
  overall_correctness: "patch is correct",
  overall_explanation: "The change is correct.",
  overall_confidence_score: 1
}
const strict = ["--uncommitted", "--strict", "--ceiling", "medium", "-n", "2"]

/** A strict run at its fixed point: two levels, two reviewers each. */
const reviewed = async (world: World): Promise<void> => {
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  world.scenario("default", `session ${JSON.stringify(output)}\nclean The change is correct.\n`)
  assert.strictEqual((await world.step(...strict)).header, "HandoffAgent: Retrospective")
  assert.strictEqual(
    (await world.step(...strict, "--mark-retro-clean", "--batch", `low/1@${world.runs().at(-1)}`)).exit,
    7
  )
  assert.strictEqual((await world.step(...strict)).header, "DoneFixedPoint")
}
const file = (world: World) => world.path("review.json")
const attested = async (world: World): Promise<any> => {
  await reviewed(world)
  const { exit, stderr, stdout } = await world.step("attest", "--out", file(world))
  assert.deepEqual([exit, stdout, stderr], [0, `wrote ${file(world)}\n`, ""])
  return JSON.parse(readFileSync(file(world), "utf8"))
}
const check = async (world: World, text: string, ...args: ReadonlyArray<string>) => {
  writeFileSync(file(world), text)
  return await world.step("audit", "--attestation", file(world), ...args)
}

describe("an attestation", () => {
  it("names tree, levels, reviewers, models and the line; the same log gives the same bytes", async ({ world }) => {
    const { predicate, subject, ...rest } = await attested(world)
    assert.isTrue(inToto({ predicate, subject, ...rest }), JSON.stringify(inToto.errors))
    assert.deepEqual(problems("attest", readFileSync(file(world), "utf8")), [])
    world.git("add", "-A")
    const tree = world.git("write-tree").trim()
    assert.deepEqual(subject, [{ name: "tree", digest: { gitTree: tree } }])
    assert.deepInclude(predicate, { claim: "every-level", strict: true, audit: { sound: true, complete: true } })
    assert.deepEqual(
      predicate.levels.map(({ code, codex, level, model, reviewers }: any) => [
        level,
        code,
        codex,
        model,
        reviewers.map(({ verdict }: any) => verdict)
      ]),
      ["low", "medium"].map((level) => [level, "same", "0.169.0", "gpt-5.5", ["Clean", "Clean"]])
    )
    // The files are committed meanwhile: the same tree, the same bytes.
    world.git("commit", "-qm", "Two")
    const again = await world.step("attest")
    assert.deepEqual([again.exit, again.stdout], [0, readFileSync(file(world), "utf8")])
    assert.notInclude(again.stdout, world.dir)
    const { seq, hash } = predicate.log
    assert.strictEqual((await world.step("audit", "--expect-head", `${seq}:${hash}`)).exit, 0)
  })

  it("is checked against log and worktree, and every forged field is named", { tags: "slow" }, async ({ world }) => {
    const value = await attested(world)
    const text = readFileSync(file(world), "utf8")
    const sound = await check(world, text)
    assert.deepEqual([sound.exit, sound.stdout.endsWith("  sound\n")], [0, true], sound.stdout)
    const forge = (change: (forged: any) => void) => {
      const forged = structuredClone(value)
      change(forged)
      return JSON.stringify(forged)
    }
    const forged = await check(
      world,
      forge((one) => {
        one.subject[0].digest.gitTree = "0".repeat(40)
        one.predicate.levels[1].reviewers[0].verdict = "HasIssues"
        one.predicate.levels.push(one.predicate.levels[0])
        one.predicate.log.seq -= 1
        one.approved = true
        delete one.predicate.tests
      })
    )
    assert.strictEqual(forged.exit, 1)
    const named = forged.stdout.split("\n").flatMap((line) =>
      /^ {2}finding {2}attestation: (\S+) is /.exec(line)?.[1] ?? []
    )
    assert.deepEqual(named.sort(), [
      "approved",
      "predicate.levels[1].reviewers[0].verdict",
      "predicate.levels[2]",
      "predicate.log.seq",
      "predicate.tests",
      "subject[0].digest.gitTree"
    ])
    assert.match(forged.stdout, / {2}6 findings: not sound\n$/)
    const document = JSON.parse((await check(world, forge((one) => (one.approved = true)), "--json")).stdout)
    assert.deepEqual([document.sound, document.runs[0].findings.map(({ kind }: any) => kind)], [false, ["Attestation"]])
  })

  it("is refused, as the old one is, while the index holds what nobody has reviewed", async ({ world }) => {
    await attested(world)
    const text = readFileSync(file(world), "utf8")
    writeFileSync(join(world.repo, "a.txt"), "evil\n")
    world.git("add", "a.txt")
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    const said =
      "the index holds other code than HEAD and than the reviewed files: a.txt [stage the reviewed files with"
    const { exit, stderr, stdout } = await world.step("attest")
    assert.deepEqual([exit, stdout], [1, ""])
    assert.include(stderr, `is not attested: ${said}`)
    const checked = await check(world, text)
    assert.strictEqual(checked.exit, 1)
    assert.include(checked.stdout, said)
    world.git("add", "a.txt")
    assert.strictEqual((await world.step("attest")).exit, 0)
  })

  it(
    "that is cut, deep, huge, foreign, doubled or of another version is refused in one line",
    { tags: "slow" },
    async ({ world }) => {
      await attested(world)
      const text = readFileSync(file(world), "utf8")
      const bad: ReadonlyArray<readonly [string, number, RegExp]> = [
        [text.slice(0, -9), 1, /malformed JSON on line 1/],
        ["[".repeat(1_000_000), 1, /nests too deep/],
        [text.replace("{", `{"_type":"x",`), 1, /the key "_type" occurs twice/],
        [text.replace("fixed-point:v1", "fixed-point:v2"), 1, /its predicateType is/],
        [text.replace("in-toto.io/Statement/v1", "in-toto.io/Statement/v0.1"), 1, /its _type is/],
        [text.padEnd(17 * 1024 * 1024), 6, /larger than 16777216 bytes/],
        [text.replace(/"run":"[^"]*"/, '"run":"2020"'), 6, /no run/]
      ]
      for (const [given, code, said] of bad) {
        const { exit, stderr, stdout } = await check(world, given)
        assert.deepEqual([exit, stdout], [code, ""], stderr)
        assert.match(stderr, /^error: [^\n]*\n$/)
        assert.match(stderr, said)
      }
      assert.strictEqual((await world.step("audit", "--attestation", world.path("none"))).exit, 6)
    }
  )

  it(
    "is refused when the code has changed, the evidence was touched, or the run is not done",
    { tags: "slow" },
    async ({ world }) => {
      await attested(world)
      const refused = async (said: RegExp) => {
        rmSync(file(world), { force: true })
        const { exit, stderr, stdout } = await world.step("attest", "--out", file(world))
        assert.deepEqual([exit, stdout], [1, ""])
        assert.match(stderr, said)
        assert.match(stderr, /^[^\n]*\]\n$/)
        assert.throws(() => readFileSync(file(world)))
      }
      const text = readFileSync(file(world), "utf8")
      appendFileSync(join(world.repo, "a.txt"), "three\n")
      await refused(/holds other code than was reviewed/)
      const moved = await check(world, text)
      assert.strictEqual(moved.exit, 1)
      assert.match(moved.stdout, /finding {2}attestation: run \S+ is not attested: \S+ holds other code/)
      writeFileSync(join(world.repo, "a.txt"), "two\n")
      appendFileSync(join(world.runDir(), "levels/level-low/batch-1/low-1.out"), "x")
      await refused(/its audit has [1-9]\d* findings? /)
      await world.step("--uncommitted", "--fresh", "-n", "1", "--ceiling", "medium")
      await refused(/it has not reached a fixed point/)
    }
  )
})

describe("what is attested", () => {
  const said = async (world: World, ...args: ReadonlyArray<string>): Promise<any> => {
    const { exit, stderr, stdout } = await world.step("attest", ...args)
    assert.deepEqual([exit, stderr], [0, ""])
    assert.deepEqual(problems("attest", stdout), [])
    return JSON.parse(stdout)
  }
  const change = (world: World, text: string) => writeFileSync(join(world.repo, "a.txt"), text)

  it(
    "is the commit too where it was reviewed unchanged, with the tests that ran on it",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", "clean")
      world.git("checkout", "-qb", "topic")
      change(world, "two\n")
      world.git("commit", "-qam", "Two")
      const [head, tree] = ["HEAD", "HEAD^{tree}"].map((name) => world.git("rev-parse", name).trim())
      const converge = ["converge", "--base", "main", "-n", "1", "--ceiling", "low", "--test", "echo ok"]
      assert.strictEqual((await world.step(...converge)).exit, 0)
      const { predicate, subject } = await said(world)
      assert.deepEqual(subject.map(({ digest }: any) => digest), [{ gitTree: tree }, { gitCommit: head }])
      assert.deepEqual(predicate.tests.map(({ command, exit }: any) => [command, exit]), [["echo ok", 0]])
      assert.strictEqual(predicate.reviewed.mergeBase, world.git("rev-parse", "main").trim())

      const driver = join(world.runDir(world.runs("base/main").at(-1), "base/main"), "converge.jsonl")
      const whole = readFileSync(driver)
      appendFileSync(driver, "{}\n")
      const damaged = await world.step("attest")
      assert.deepEqual([damaged.exit, damaged.stdout], [1, ""])
      assert.match(damaged.stderr, /^error: run \S+ is not attested: its audit has 1 finding \[[^\n]*\n$/)
      writeFileSync(driver, whole)

      await world.step("--commit", `${head}`, "-n", "1", "--ceiling", "low")
      const commit = await said(world, "--commit", `${head}`)
      assert.deepEqual(commit.subject, [{ name: "commit", digest: { gitCommit: head } }])
    }
  )

  it("is the ceiling alone where the code was edited between the levels", { tags: "slow" }, async ({ world }) => {
    const ladder = ["--uncommitted", "--ceiling", "medium", "-n", "1"]
    world.scenario("default", "clean")
    change(world, "two\n")
    await world.step(...ladder)
    await world.step(...ladder, "--mark-retro-clean")
    change(world, "three\n")
    assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
    const { predicate } = await said(world)
    assert.deepInclude(predicate, { claim: "ceiling", audit: { sound: true, complete: false } })
    assert.deepEqual(predicate.levels.map(({ code, level }: any) => [level, code]), [["low", "other"], [
      "medium",
      "same"
    ]])
  })
})

describe("the ways to sign an attestation", () => {
  const page = readFileSync(join(root, "docs/attestation.md"), "utf8")
  const block = (name: string): string =>
    new RegExp(`\`\`\`sh ${name}\\n([^\`]*)\`\`\``).exec(page)?.[1] ?? assert.fail(`no block ${name}`)

  it("with SSH and OpenSSL work unchanged on the page, and find a changed file", { tags: "slow" }, ({ world }) => {
    const [home, cwd] = [world.path("signer"), world.path("signing")]
    mkdirSync(join(home, ".ssh"), { recursive: true })
    mkdirSync(cwd)
    const text = readFileSync(join(root, "fixtures/attestations/fixed-point.v1.json"), "utf8")
    // OpenSSH takes the home of its user from the system, the shell takes it from here.
    const run = (script: string) =>
      execFileSync("sh", ["-ec", script], { cwd, env: { ...world.env, HOME: home }, encoding: "utf8", stdio: "pipe" })
    run(`ssh-keygen -q -t ed25519 -N "" -f "$HOME/.ssh/id_ed25519"`)
    for (const way of ["ssh", "openssl"]) {
      writeFileSync(join(cwd, "review.json"), text)
      assert.match(run(block(way)), /Good "ooda-codex-review" signature|Verified OK/)
      writeFileSync(join(cwd, "review.json"), text.replace("Clean", "Cleam"))
      const verify = block(way).trim().split("\n").at(-1) ?? ""
      assert.throws(() => run(verify))
    }
  })
})
