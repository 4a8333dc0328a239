import type { TestDatabase } from './with-store.fixture.ts'

/** A call that the double was asked for. */
export interface RecordedDistribution {
  readonly called: string
  readonly named: string
  readonly column: string
  readonly beside: string
}

/**
 * A double of Citus, which is in no package of Debian: the functions and the catalog that the distribution uses, in the schema of a test on an ordinary PostgreSQL. It records
 * the calls and distributes nothing: the rows stay where they are. Every test with it says so in its title. TESSERA_TEST_CITUS_URL runs the store suite on the real one.
 */
export async function createCitusDouble({ raw }: Pick<TestDatabase, 'raw'>, version = '13.2.0'): Promise<void> {
  await raw(`
    create table distribution_calls (number integer generated always as identity, called text, named text, part text, beside text);
    create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char", partkey text);
    create function citus_version() returns text language sql as $$ select 'Citus ${version} on a double for tests' $$;
    create function column_to_column_name(of regclass, part text) returns text language sql as $$ select part $$;
    create function create_distributed_table(
      named regclass, part text, distribution_type text default 'hash', colocate_with text default 'default', shard_count int default null)
    returns void language plpgsql as $$ begin
      if exists (select 1 from pg_dist_partition where logicalrelid = named) then raise exception 'table % is already distributed', named; end if;
      if not exists (select 1 from pg_attribute where attrelid = named and attname = part) then raise exception 'column % does not exist', part; end if;
      if colocate_with <> 'none' and not exists (select 1 from pg_dist_partition where logicalrelid = colocate_with::regclass)
        then raise exception 'relation % is not distributed', colocate_with; end if;
      insert into distribution_calls (called, named, part, beside) values ('create_distributed_table', named::text, part, colocate_with);
      insert into pg_dist_partition values (named, 'h', part);
    end $$;
    create function truncate_local_data_after_distributing_table(named regclass) returns void language plpgsql as $$ begin
      if not exists (select 1 from pg_dist_partition where logicalrelid = named) then raise exception '% is not distributed', named; end if;
      insert into distribution_calls (called, named, part, beside) values ('truncate_local_data_after_distributing_table', named::text, '', '');
    end $$`)
}

/** The calls so far, in their order. */
export async function listRecordedDistributions({ raw }: Pick<TestDatabase, 'raw'>): Promise<RecordedDistribution[]> {
  const rows = await raw('select called, named, part, beside from distribution_calls order by number')
  return rows.map((row) => ({
    called: String(row['called']),
    named: String(row['named']).replace(/^.*\./, ''),
    column: String(row['part']),
    beside: String(row['beside']),
  }))
}
