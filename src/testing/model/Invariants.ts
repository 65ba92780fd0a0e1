// Invariants: what holds after every command, whatever happened during it.
// The one rule: each is a sentence of the contract, and a broken one says which.
import type { Commit } from "../../core/log/StreamKind.ts"
import type { Event, EventOf } from "../../core/run/Event.ts"
import { attemptText, sameRun, slotText } from "../../core/run/Refs.ts"
import { lives, type Reviewer } from "../World.ts"
import { rungs } from "./Model.ts"
import { type Observed, saysOf } from "./Observe.ts"

/** An invariant that does not hold. */
export class Broken extends Error {
  override readonly name = "Broken"
}

const must = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Broken(sentence)
}

const distinct = (names: ReadonlyArray<string>): boolean => new Set(names).size === names.length

const eventsOf = <Tag extends Event["_tag"]>(
  commits: ReadonlyArray<Commit<Event>>,
  tag: Tag
): ReadonlyArray<EventOf<Tag>> =>
  commits.flatMap(({ events }) => events.filter((event): event is EventOf<Tag> => event._tag === tag))

const onlyGrows = (before: Observed, { commits, run }: Observed): void => {
  if (before.run === null || run === null || !sameRun(before.run, run)) return
  const same = before.commits.every((commit, i) => JSON.stringify(commit) === JSON.stringify(commits[i]))
  must(same, "the history of a run only grows")
}

const counted = (commits: ReadonlyArray<Commit<Event>>): void => {
  commits.forEach(({ seq }, i) => must(seq === i + 1, "lines are numbered from 1 without a gap"))
  const place = ({ batch, level }: { readonly batch: number; readonly level: string }) => `${level}/${batch}`
  must(distinct(eventsOf(commits, "BatchStarted").map(place)), "a batch is started once")
  const top = new Map(eventsOf(commits, "RunCreated").map(({ startLevel }) => [startLevel, 1]))
  for (const { batch, level } of eventsOf(commits, "BatchOpened")) {
    must(batch === (top.get(level) ?? 0) + 1, `batch ${level}/${batch} is the next unused one at its level`)
    top.set(level, batch)
  }
}

const leftRecorded = (commits: ReadonlyArray<Commit<Event>>): void => {
  const open = new Set<string>()
  for (const event of commits.flatMap(({ events }) => events)) {
    const name = "attempt" in event ? `${event.level}/${event.batch}/${event.slot}` : ""
    if (event._tag === "ReviewStarted") open.add(name)
    if (event._tag === "ReviewFinished" || event._tag === "ReviewFailed" || event._tag === "ReviewStopped") {
      open.delete(name)
    }
    if (event._tag === "BatchOpened") must(open.size === 0, `the end of ${[...open].join(", ")} is recorded`)
  }
}

const withinLadder = ({ commits, manifest }: Observed): void => {
  if (manifest === null) return
  const floor = rungs.indexOf(manifest.start_level)
  const levels = [manifest.current_level, ...eventsOf(commits, "BatchOpened").map(({ level }) => level)]
  must(levels.every((level) => rungs.indexOf(level) >= floor), "no batch lies below the floor")
}

const finishedOnce = ({ commits, reviewers, run }: Observed): void => {
  if (run === null) return
  const slot = (event: EventOf<"ReviewStarted" | "ReviewFinished">) => `${event.level}/${event.batch}/${event.slot}`
  const finished = eventsOf(commits, "ReviewFinished")
  must(distinct(finished.map(slot)), "a slot has one verdict")
  for (const event of finished) {
    const { attempt, batch, level, verdict } = event
    const name = attemptText({ run, level, batch, slot: event.slot, attempt })
    const reviewer = reviewers.find((one) => attemptText(one.attempt) === name)
    const said = reviewer === undefined ? "nothing" : saysOf(reviewer)
    must(said === (verdict === "Clean" ? "clean" : "issues"), `${slot(event)} is recorded as what its reviewer said`)
    const tries = eventsOf(commits, "ReviewStarted").filter((one) => slot(one) === slot(event))
    must(tries.every((one) => one.attempt <= attempt), "a finished review is not run again")
  }
}

const startedOnce = ({ now, reviewers }: Observed): void => {
  must(distinct(reviewers.map(({ attempt }) => attemptText(attempt))), "an attempt is started once")
  const alive = reviewers.filter((one) => lives(one, now))
  must(distinct(alive.map(({ attempt }) => slotText(attempt))), "a slot has one reviewer at a time")
}

/** The living reviewers that no step will ever look at again. */
export const orphans = ({ manifest, now, reviewers, run }: Observed): ReadonlyArray<Reviewer> => {
  const batch = manifest?.batch
  const open = manifest === null || run === null || batch?._tag !== "Started" ? [] : batch.slots.flatMap((slot) => {
    const { batch_number: number, current_level: level } = manifest
    const attempt = { run, level, batch: number, slot: slot.slot, attempt: slot.attempts }
    return slot._tag === "Running" ? [attemptText(attempt)] : []
  })
  return reviewers.filter((one) => lives(one, now) && !open.includes(attemptText(one.attempt)))
}

/** Checks all of them. `known`: reviewers that a killed command has left behind. Throws Broken. */
export const check = (before: Observed, after: Observed, known: ReadonlySet<string>): void => {
  onlyGrows(before, after)
  counted(after.commits)
  leftRecorded(after.commits)
  withinLadder(after)
  startedOnce(after)
  finishedOnce(after)
  const left = orphans(after).filter(({ attempt }) => !known.has(attemptText(attempt)))
  must(left.length === 0, `nobody pays for orphans: ${left.map(({ attempt }) => attemptText(attempt)).join(", ")}`)
}
