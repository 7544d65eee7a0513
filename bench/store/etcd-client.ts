import { Client, credentials } from '@grpc/grpc-js'
import { type KeyValue, putIfRevision, rangeRequest, rangeResponse, txnSucceeded } from './etcd-messages.ts'

/** As much of etcd as the benchmark needs, over one channel of grpc-js. */
export class EtcdClient {
  readonly #client: Client

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  }

  /** Puts a value if the key was last changed at this revision, 0 for never. False if it was not. */
  async putIf(key: string, value: string, modRevision: number): Promise<boolean> {
    return txnSucceeded(await this.#call('/etcdserverpb.KV/Txn', putIfRevision(key, value, modRevision)))
  }

  async get(key: string): Promise<KeyValue | undefined> {
    const [found] = rangeResponse(await this.#call('/etcdserverpb.KV/Range', rangeRequest(key)))
    return found
  }

  /** All keys that begin with a prefix that ends with a slash. */
  async list(prefix: string): Promise<readonly KeyValue[]> {
    return rangeResponse(await this.#call('/etcdserverpb.KV/Range', rangeRequest(prefix, `${prefix.slice(0, -1)}0`)))
  }

  close(): void {
    this.#client.close()
  }

  #call(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(method, same, same, request, (error, response) => {
        if (error === null) resolve(response!)
        else reject(error)
      })
    })
  }
}

/** Messages are encoded already. */
const same = (bytes: Buffer) => bytes
