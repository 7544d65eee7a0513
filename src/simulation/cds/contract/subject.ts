import type { HttpClient, WebSockets } from '../../../ports/index.ts'

/** A CDS API that is talked to: a simulated or a real one, with what its people can do. */
export interface CdsSubject {
  readonly url: string
  readonly http: HttpClient
  readonly webSockets: WebSockets
  /** Milliseconds since 1970. */
  now(): number
  /** Lets time pass. */
  pass(milliseconds: number): Promise<void>
  /** A V1 consumer that is bound to this name, and to the region if there is one. Gives the token. */
  addHatcheryV1(name: string, region?: string): Promise<string>
  /** A V2 hatchery, granted this region unless it is undefined. Gives the token. */
  addHatcheryV2(name: string, region: string | undefined): Promise<string>
  addRegion(name: string): Promise<void>
  /** Gives the number of the job. */
  startJobV1(project: string): Promise<number>
  /** Gives the id of the job. */
  startJobV2(request: {
    readonly project: string
    readonly region: string
    readonly image: string
    readonly flavor?: string
  }): Promise<string>
  /** A vSphere model in shared.infra. Gives its number. */
  addModelV1(name: string): Promise<number>
}
