/** How long the simulated hour of the controller runtime takes, as one line. */
import { run } from '../control/simulated-hour.ts'

const { milliseconds } = await run()
console.log(JSON.stringify({ seconds: milliseconds / 1000 }))
