// halfDoneBatch: the batch that people end in these tests: one review is done, two reviewers are at work.
// What is at work has started children that would outlive it and do not listen.
import { eventually, type World } from "./world.ts"

/** The first reviewer finishes; the others start what would outlive them and wait. */
export const oneOfThree = (world: World) => {
  world.scenario("1", "clean")
  world.scenario("default", "children 2;stubborn;sleep 3600;clean")
}

/** Waits until the first review is recorded and the other reviewers are at work, with all they start. */
export const atWork = (world: World) =>
  eventually(
    "one review recorded and two at work",
    () => world.events("ReviewFinished").length === 1 && world.reviewers().length >= 16
  )
