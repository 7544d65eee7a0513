// Bodies as kubectl 1.36 and client-go 0.35 send them, and the same objects as their own JSON writes them.

/** A protobuf body in hexadecimal and the object in it. */
export interface RecordedBody {
  readonly what: string
  readonly hex: string
  readonly object: unknown
}

/** One of each kind that is sent so. */
export const recordedBodies: readonly RecordedBody[] = [
  {
    what: 'kubectl create namespace',
    hex: '6b3873000a0f0a02763112094e616d657370616365121c0a140a04776f6f6412001a0022002a0032003800420012001a020a001a002200',
    object: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'wood',
      },
    },
  },
  {
    what: 'kubectl create secret',
    hex:
      '6b3873000a0c0a027631120653656372657412320a150a017312001a04776f6f6422002a00320038004200120a0a0270771204c3b6c39f120b0a0475' +
      '7365721203616e6e1a001a002200',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 's',
        namespace: 'wood',
      },
      data: {
        pw: 'w7bDnw==',
        user: 'YW5u',
      },
    },
  },
  {
    what: 'kubectl create configmap',
    hex:
      '6b3873000a0f0a0276311209436f6e6669674d6170122a0a150a016312001a04776f6f6422002a0032003800420012060a016112016212090a05656d' +
      '70747912001a002200',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'c',
        namespace: 'wood',
      },
      data: {
        a: 'b',
        empty: '',
      },
    },
  },
  {
    what: 'kubectl auth can-i list pods/log',
    hex:
      '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577123d0a10' +
      '0a0012001a0022002a00320038004200121f0a1d0a04776f6f6412046c6973741a0022002a04706f647332003a036c6f671a08080012001a0020001a' +
      '002200',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: {
        resourceAttributes: {
          namespace: 'wood',
          verb: 'list',
          resource: 'pods',
          name: 'log',
        },
      },
    },
  },
  {
    what: 'kubectl auth can-i get /metrics',
    hex:
      '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577122f0a10' +
      '0a0012001a0022002a003200380042001211120f0a082f6d65747269637312036765741a08080012001a0020001a002200',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: {
        nonResourceAttributes: {
          path: '/metrics',
          verb: 'get',
        },
      },
    },
  },
  {
    what: 'kubectl auth can-i --list',
    hex:
      '6b3873000a310a17617574686f72697a6174696f6e2e6b38732e696f2f7631121653656c665375626a65637452756c657352657669657712200a100a' +
      '0012001a0022002a0032003800420012060a04776f6f641a04180022001a002200',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: {},
      spec: {
        namespace: 'wood',
      },
    },
  },
  {
    what: 'kubectl auth whoami',
    hex:
      '6b3873000a2d0a1861757468656e7469636174696f6e2e6b38732e696f2f7631121153656c665375626a656374526576696577121a0a100a0012001a' +
      '0022002a0032003800420012060a040a0012001a002200',
    object: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: {},
    },
  },
  {
    what: 'client-go: Event',
    hex:
      '6b3873000a0b0a02763112054576656e7412cc010a170a03652e3112001a04776f6f6422002a0032003800420012300a044e6573741204776f6f641a' +
      '016e2201752a1864656d6f2e6176696172792e6465762f7631616c7068613132003a001a0748617463686564220d746872656520686174636865642a' +
      '0b0a0762726f6f6465721200320808a0cadeb90610003a0808a0cadeb906100040034a064e6f726d616c520b08a0cadeb906108094ef3a5a0f080212' +
      '0b08a0cadeb906108094ef3a6205486174636872126176696172792e6465762f62726f6f6465727a03622d301a002200',
    object: {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: {
        name: 'e.1',
        namespace: 'wood',
      },
      involvedObject: {
        kind: 'Nest',
        namespace: 'wood',
        name: 'n',
        uid: 'u',
        apiVersion: 'demo.aviary.dev/v1alpha1',
      },
      reason: 'Hatched',
      message: 'three hatched',
      source: {
        component: 'brooder',
      },
      firstTimestamp: '2024-11-15T19:46:40Z',
      lastTimestamp: '2024-11-15T19:46:40Z',
      count: 3,
      type: 'Normal',
      eventTime: '2024-11-15T19:46:40.123456Z',
      series: {
        count: 2,
        lastObservedTime: '2024-11-15T19:46:40.123456Z',
      },
      action: 'Hatch',
      reportingComponent: 'aviary.dev/brooder',
      reportingInstance: 'b-0',
    },
  },
  {
    what: 'client-go: Lease',
    hex:
      '6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c65617365123c0a160a016c12001a04776f6f6422002a0032013738' +
      '00420012220a026d65100f1a0b08a0cadeb906108094ef3a220b08a0cadeb906108094ef3a28001a002200',
    object: {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name: 'l',
        namespace: 'wood',
        resourceVersion: '7',
      },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2024-11-15T19:46:40.123456Z',
        renewTime: '2024-11-15T19:46:40.123456Z',
        leaseTransitions: 0,
      },
    },
  },
  {
    what: 'client-go: Node',
    hex:
      '6b3873000a0a0a02763112044e6f64651286020a520a066e6f64652d3112001a0022002a0032003803420808a0cadeb90610004a0808a0cadeb90610' +
      '0050005a060a016112016262060a01631201646a110a014b1a016f2201752a027631300138007203782f79123c0a0a31302e302e302e302f3812001a' +
      '017020012a1b0a016b12001a0a4e6f5363686564756c65220808a0cadeb90610003a0a31302e302e302e302f381a720a0a0a0363707512030a01341a' +
      '0022270a0552656164791204547275651a0808a0cadeb9061000220808a0cadeb90610002a015232014d2a160a0a496e7465726e616c495012083130' +
      '2e302e302e3132040a0208003a1b0a0012001a0022002a056c696e757832003a02763142004a0052001a002200',
    object: {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: {
        name: 'node-1',
        generation: 3,
        creationTimestamp: '2024-11-15T19:46:40Z',
        deletionTimestamp: '2024-11-15T19:46:40Z',
        deletionGracePeriodSeconds: 0,
        labels: {
          a: 'b',
        },
        annotations: {
          c: 'd',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'K',
            name: 'o',
            uid: 'u',
            controller: true,
            blockOwnerDeletion: false,
          },
        ],
        finalizers: ['x/y'],
      },
      spec: {
        podCIDR: '10.0.0.0/8',
        podCIDRs: ['10.0.0.0/8'],
        providerID: 'p',
        unschedulable: true,
        taints: [
          {
            key: 'k',
            effect: 'NoSchedule',
            timeAdded: '2024-11-15T19:46:40Z',
          },
        ],
      },
      status: {
        capacity: {
          cpu: '4',
        },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            lastHeartbeatTime: '2024-11-15T19:46:40Z',
            lastTransitionTime: '2024-11-15T19:46:40Z',
            reason: 'R',
            message: 'M',
          },
        ],
        addresses: [
          {
            type: 'InternalIP',
            address: '10.0.0.1',
          },
        ],
        nodeInfo: {
          osImage: 'linux',
          kubeletVersion: 'v1',
        },
      },
    },
  },
  {
    what: 'client-go: DeleteOptions',
    hex: '6b3873000a130a027631120d44656c6574654f7074696f6e731219080012040a027531220a466f726567726f756e642a03416c6c1a002200',
    object: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: {
        uid: 'u1',
      },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    },
  },
]
