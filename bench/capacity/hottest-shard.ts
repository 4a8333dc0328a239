import { bucketOf } from '@tessera/vault/id'

/** Merchants whose calls are distributed by Zipf's law: the one of rank r makes a share that is proportional to 1 / r^exponent. */
export interface ZipfMerchants {
  readonly merchants: number
  readonly exponent: number
  readonly shards: number
}

export interface ShardLoads {
  /** Of all calls, the share of the largest merchant, which is in one bucket. */
  readonly largestMerchant: number
  /** Of the bucket with the most. */
  readonly hottestBucket: number
  /** Of the shard with the most. */
  readonly hottestShard: number
  /** How many times the mean of all shards that is. */
  readonly hottestToMean: number
  /** The same after buckets were moved to where there is room: what no placement of whole buckets can better by much. */
  readonly balancedToMean: number
}

/** Puts each merchant into the bucket of its id, which is a hash, and buckets onto shards in equal ranges. */
export function simulateShards({ merchants, exponent, shards }: ZipfMerchants): ShardLoads {
  const buckets = new Float64Array(bucketCount)
  let sum = 0
  for (let rank = 1; rank <= merchants; rank++) {
    const calls = rank ** -exponent
    sum += calls
    const bucket = bucketOf(idOfRank(rank))
    buckets[bucket] = (buckets[bucket] ?? 0) + calls
  }
  const loads = new Float64Array(shards)
  buckets.forEach((calls, bucket) => {
    const shard = Math.floor((bucket * shards) / bucketCount)
    loads[shard] = (loads[shard] ?? 0) + calls
  })
  const hottestShard = Math.max(...loads) / sum
  return {
    largestMerchant: 1 / sum,
    hottestBucket: Math.max(...buckets) / sum,
    hottestShard,
    hottestToMean: hottestShard * shards,
    balancedToMean: (Math.max(...balance(buckets, shards)) / sum) * shards,
  }
}

/** The largest bucket first, each to the shard with the least. */
function balance(buckets: Float64Array, shards: number): Float64Array {
  const loads = new Float64Array(shards)
  for (const calls of buckets.toSorted().reverse()) {
    const least = loads.indexOf(Math.min(...loads))
    loads[least] = (loads[least] ?? 0) + calls
  }
  return loads
}

/** Any ids do: the bucket is a hash of the id. The same in each run. */
function idOfRank(rank: number): string {
  return rank.toString(16).padStart(24, '0')
}

/** vault/src/id.ts: 12 bits. */
const bucketCount = 4096
