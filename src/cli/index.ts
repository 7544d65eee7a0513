export { cliPage } from './cli-page.ts'
