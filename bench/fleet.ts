// fleet: what a fleet costs and how much load it takes, on private servers with fsync, each figure beside its limit.
// Words: PART [COUNT], for a quick look. Without words all parts at the size that the limits are for: most of an hour.
import { append } from "./fleet/append.ts"
import { cap } from "./fleet/cap.ts"
import { handoff } from "./fleet/handoff.ts"
import { runs } from "./fleet/runs.ts"
import { takeover } from "./fleet/takeover.ts"
import { waiting } from "./fleet/waiting.ts"

/** The measurements, each with its default number of pull requests. */
interface Part {
  readonly size: number
  readonly measure: (count: number) => Promise<void>
}

const alone = (measure: () => Promise<void>): Part => ({ size: 1, measure })

// Milliseconds: 1,000 runs have so many minutes. Fewer of them have no limit: their first and last seconds weigh more.
const limit = (minutes: number, count: number): number | null => count < 1000 ? null : count * minutes * 60

const parts: Readonly<Record<string, Part>> = {
  append: alone(append),
  waiting: alone(waiting),
  takeover: alone(takeover),
  cap: { size: 16, measure: cap },
  handoff: { size: 100, measure: handoff },
  "crashes-alone": {
    size: 63,
    measure: (pulls) => runs({ pulls, every: 500, by: null, crashes: 2, limit: null })
  },
  crashing: {
    size: 63,
    measure: (pulls) => runs({ pulls, every: 2000, by: "SIGKILL", crashes: 2, limit: null })
  },
  stopping: {
    size: 250,
    measure: (pulls) => runs({ pulls, every: 2000, by: "SIGSTOP", crashes: 2, limit: limit(15, pulls) })
  },
  runs: {
    size: 1000,
    measure: (pulls) => runs({ pulls, every: 2000, by: "SIGKILL", crashes: 0, limit: limit(6, pulls) })
  },
  "runs-each-second": {
    size: 1000,
    measure: (pulls) => runs({ pulls, every: 1000, by: "SIGKILL", crashes: 0, limit: limit(15, pulls) })
  }
}

const [part = "all", said] = process.argv.slice(2)
const count = said === undefined ? null : Number(said)
const asked = part === "all" ? Object.keys(parts) : [part]
if (!asked.every((one) => one in parts) || (count !== null && (!Number.isInteger(count) || count < 1))) {
  console.error(
    `fleet: PART is all or one of ${Object.keys(parts).join(", ")} and COUNT a number [npm run bench:fleet -- runs 100]`
  )
  process.exit(64)
}
for (const one of asked) {
  console.log(`== ${one}`)
  const found = parts[one]
  await found?.measure(count ?? found.size)
}
