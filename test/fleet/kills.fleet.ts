// kills: workers are killed at random and their database crashes: nothing that was acknowledged is lost or done twice,
// and nothing of one repository comes to another. KILL_SECONDS=600 kills for ten minutes; CRASH_SEED repeats what was
// drawn.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { numbers } from "../crash/cli/random.ts"
import { CLI, processesWith } from "../process/world.ts"
import { kill } from "../unit/platform/guard/processes.ts"
import { type RealFleet, realFleet } from "./realFleets.ts"
import { remembering } from "./remembered.ts"
import { strangers } from "./strangers.ts"

const fake = fileURLToPath(new URL("../../fixtures/fake-codex", import.meta.url))
const lasting = Number(process.env["KILL_SECONDS"] ?? "12") * 1000
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)
const account = { name: "team", cap: 3 }
const pulls = Math.max(4, Math.round(lasting / 6000))
const ladder = ["--ceiling", "medium", "-n", "2"]
// Two levels of two reviews.
const slots = ["low 1 1", "low 1 2", "medium 1 1", "medium 1 2"]

// What each repository holds is what its reviews say.
const words = { quartz: "pebble5e81", garnet: "meadow9d27" }
const secrets = {
  OODA_FETCH_TOKEN: "t0ken-of-the-fleet",
  GITHUB_TOKEN: "t0ken-of-the-fleet",
  PGPASSWORD: "passw0rd-of-the-fleet",
  DB_PASSWORD: "passw0rd-of-the-fleet"
}

/** One attempt at a review, from the log of its run. */
interface Attempt {
  readonly run: string
  readonly tag: string
  readonly slot: string
  readonly attempt: number
  readonly said: string
}

interface Row {
  readonly repo: string
  readonly pr: number
  readonly standing: string
  readonly run: string
  readonly end: string
}

describe.runIf(inject("postgres") !== null)("workers that are killed", () => {
  const number = numbers(seed)
  let fleet: RealFleet
  const mark = () => `FAKE_CODEX_DIR=${fleet.control}`

  /** How many reviewers live: not their wrappers, which still put away what a dead one has said. */
  const underWay = (): number => {
    const attempts = new Set<string>()
    for (const pid of processesWith((all) => all.includes(mark()))) {
      try {
        const [, script = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
        const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")
        const attempt = variables.find((one) => one.startsWith("OODA_ATTEMPT="))
        if (attempt !== undefined && script === join(fake, "codex")) attempts.add(attempt)
      } catch {
        // It has ended meanwhile.
      }
    }
    return attempts.size
  }
  const rows = () =>
    fleet.ask<Row>(`
      select repo_id as repo, substring(target_key from '[0-9]+$')::int as pr, standing, last_run as run,
        end_header as end
      from ooda_target`)
  const repositoryOf = (repo: string): string => Object.keys(words).find((name) => repo.startsWith(`${name}-`)) ?? repo

  /** What the logs say of attempts: how each of them ended. */
  const endsInLogs = () =>
    fleet.ask<Attempt>(`
      select r.run_id as run, e->>'_tag' as tag, concat_ws(' ', e->>'level', e->>'batch', e->>'slot') as slot,
        (e->>'attempt')::int as attempt, coalesce(e->>'verdict', e->>'kind', '') as said
      from ooda_line l join ooda_run r on r.id = l.run,
        jsonb_array_elements(convert_from(l.bytes, 'UTF8')::jsonb->'events') e
      where e->>'_tag' in ('ReviewFinished', 'ReviewFailed', 'ReviewStopped')`)

  beforeAll(async () => {
    const repositories = Object.fromEntries(
      Object.entries(words).map(([name, word]) => [name, `Nothing of ${word} yet.\n`])
    )
    const working = ["--capacity", "4", "--active", "3"]
    fleet = await realFleet({ account, cli: CLI, codex: fake, repositories, secrets, working })
    writeFileSync(join(fleet.control, "default"), "sleep 0.4; body a.txt")
  })
  afterAll(async () => {
    for (const child of fleet.workers.values()) child.kill("SIGKILL")
    for (const pid of processesWith((all) => all.includes(mark()))) kill(pid)
    await fleet.remove()
  })

  it("leave runs that come to their fixed points and are proven, each slot with one verdict", async () => {
    const submitted: Array<string> = []
    for (let pr = 1; pr <= pulls; pr++) {
      const repository = pr % 2 === 0 ? "quartz" : "garnet"
      fleet.push(repository, pr, `No issues found in change ${pr} of ${words[repository]}.\n`)
      fleet.submit(repository, pr, ladder)
      submitted.push(`${repository} ${pr}`)
    }
    const names = ["one", "two"]
    for (const name of names) fleet.hire(name)
    const until = Date.now() + lasting
    // Reviewers of a worker that is stopped run on, and until it has looked after it is awake: those times do not count.
    let [most, awakeAt] = [0, 0]
    const looking = setInterval(() => {
      if (Date.now() > awakeAt) most = Math.max(most, underWay())
    }, 50).unref()
    const seen = remembering(fleet.ask)
    const apart = strangers(fleet, { words, secrets: [...new Set(Object.values(secrets))] })
    const state = { over: false }
    const watching = (async () => {
      while (!state.over) {
        // The server may be away.
        await seen.look().catch(() => {})
        await pause(200)
      }
    })()
    let [deaths, stops, crashes] = [0, 0, 0]
    while (Date.now() < until) {
      // A review is given up when three of its workers have died. On a busy machine it takes two seconds.
      await pause(800 + number() * 2400)
      const name = names[Math.floor(number() * names.length)] ?? "one"
      const drawn = number()
      const child = fleet.workers.get(name)
      // Once in every test, however short.
      const isHalf = crashes === 0 && Date.now() > until - lasting / 2
      if (isHalf || drawn < 0.1) {
        await fleet.server.crash()
        await fleet.server.start()
        crashes++
      } else if (drawn < 0.3 && child?.exitCode === null) {
        // It wakes up when what it did is another's.
        child.kill("SIGSTOP")
        awakeAt = Date.now() + 4000 + 4000
        setTimeout(() => child.kill("SIGCONT"), 4000)
        stops++
      } else {
        child?.kill("SIGKILL")
        deaths++
        await pause(50)
        apart.ofDeliveries()
        fleet.hire(name)
      }
    }
    for (const [name, child] of fleet.workers) {
      child.kill("SIGCONT")
      if (child.exitCode !== null || child.signalCode !== null) fleet.hire(name)
    }
    // A review whose workers die three times is lost, and its pull request waits for another submission.
    const lost = new Set<string>()
    for (const end = Date.now() + 120_000;; await pause(300)) {
      const all = await rows()
      if (all.length === pulls && all.every(({ standing }) => standing === "Done")) break
      if (Date.now() > end) assert.fail(`seed ${seed}: ${JSON.stringify(all)}`)
      for (const { end: header, pr, repo, run, standing } of all) {
        if (standing !== "Parked" || lost.has(run)) continue
        assert.match(header, /^BinaryError: [^]* Lost: /, `seed ${seed}`)
        lost.add(run)
        fleet.submit(repositoryOf(repo), pr, ladder)
      }
    }
    state.over = true
    await watching
    clearInterval(looking)
    const why = `seed ${seed}`
    const done = await rows()
    assert.sameMembers(done.map(({ pr, repo }) => `${repositoryOf(repo)} ${pr}`), submitted, why)
    const givenUp = await fleet.ask<{ run: string }>(
      "select run_id as run from ooda_attempt where state = 'lost' and deliveries > 3"
    )
    assert.includeMembers(givenUp.map(({ run }) => run), [...lost], `${why}: lost with fewer than three deaths`)
    assert.isAtMost(most, account.cap, `${why}: reviewers of one account at once`)
    assert.deepStrictEqual(fleet.endedAlone(), [], `${why}: workers ended by themselves`)

    // What was acknowledged is there.
    const { lines, missingLines, missingReviews, reviews } = await seen.compared()
    assert.deepStrictEqual([missingLines, missingReviews], [[], []], `${why}: acknowledged, and not there any more`)
    assert.isAbove(Math.min(lines, reviews), pulls)

    // Each slot has its verdict, once; an attempt that ended otherwise died with a worker, and one that was handed in counts.
    const ends = await endsInLogs()
    const verdicts = ends.filter(({ tag }) => tag === "ReviewFinished")
    const others = ends.filter(({ tag }) => tag !== "ReviewFinished")
    assert.deepStrictEqual(
      verdicts.map(({ run, said, slot }) => `${run} ${slot} ${said}`).sort(),
      done.flatMap(({ run }) => slots.map((slot) => `${run} ${slot} Clean`)).sort(),
      why
    )
    assert.deepStrictEqual(others.filter(({ said }) => said !== "Lost" && said !== "Unstarted"), [], why)
    const attempts = await fleet.ask<Attempt & { state: string; deliveries: number }>(`
      select run_id as run, concat_ws(' ', level, batch, slot) as slot, attempt, state, deliveries from ooda_attempt`)
    const named = ({ attempt, run, slot }: Pick<Attempt, "run" | "slot" | "attempt">) => `${run} ${slot} ${attempt}`
    assert.sameMembers(
      attempts.filter(({ state }) => state === "exited").map(named),
      verdicts.map(named),
      `${why}: handed in without a verdict, or a verdict of what was not handed in`
    )

    // Every run is proven by what is exported of it.
    const exported: Array<{ at: string; repo: string }> = []
    for (const { repo, run } of done) {
      const at = join(fleet.dir, "out", run)
      fleet.call("fleet", "export", run, at)
      assert.match(fleet.call("audit", run, "--state-root", at), /\n {2}proven: [^]*\n {2}sound\n$/, why)
      exported.push({ at, repo })
    }

    // No repository's data reached another one.
    for (const child of fleet.workers.values()) child.kill("SIGTERM")
    await apart.ofAll(exported)
    const { looked, own, problems } = apart.found()
    assert.deepStrictEqual(problems, [], why)
    // The words were there to be found: in the clone and the reviews of each pull request.
    for (const count of Object.values(own)) assert.isAbove(count, pulls * 2, why)
    const again = attempts.filter(({ deliveries }) => deliveries > 1).length
    console.log(
      `seed ${seed}: ${pulls} runs of two repositories, ${deaths} workers killed, ${stops} stopped, ` +
        `${crashes} crashes of the server, at most ${most} reviewers for an account of ${account.cap}, ` +
        `${verdicts.length} verdicts of ${attempts.length} attempts, ${again} given to more than one, ` +
        `${lines} acknowledged lines and ${reviews} reviews seen, none missing, ${looked} texts without a stranger`
    )
  }, lasting + 210_000)
})
