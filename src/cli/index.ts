export { cliPage } from './cli-page.ts'
export { exitCodes } from './exit-codes.ts'
