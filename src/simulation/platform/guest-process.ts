import type { Vm } from '../../platform/index.ts'

/** A program that was started in a simulated guest, as the hook that plays it sees it. */
export interface GuestProgram {
  readonly process: number
  readonly program: string
  readonly args: string
  readonly environment: Readonly<Record<string, string>>
  /** The VM as it is now; undefined once it is gone. */
  vm(): Vm | undefined
  /** False once it has ended, by itself or because the VM went off. */
  running(): boolean
  /** Ends the program. */
  exit(code: number): void
  /** Ends the program and the guest with it, as `shutdown -h now` at the end of a script does. */
  shutDown(): void
}

/** The same as the guest keeps it. */
export interface GuestProcess {
  /** By which the caller finds it again if the reply is lost. */
  readonly key: string
  readonly process: number
  /** The program with its arguments. */
  readonly command: string
  exit: number | undefined
}
