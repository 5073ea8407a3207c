import type { AnsweredCheck } from '@passport-registry/passports/gate';
import type { RegistryClient } from '@passport-registry/verifier';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PolicyFiles } from './policies.js';

/** What the metrics show. */
interface Measured {
  readonly registry: RegistryClient;
  readonly policies: PolicyFiles;
  /** Undefined for a store in memory. */
  readonly isConnected: (() => boolean) | undefined;
}

/** Creates the metrics of a door, for Prometheus. */
export function createMetrics({ registry, policies, isConnected }: Measured) {
  const all = new Registry();
  const registers = [all];
  collectDefaultMetrics({ register: all });
  const answers = new Counter({
    name: 'passport_gate_answers_total',
    help: 'Answers to the gateway',
    labelNames: ['profile', 'status', 'error'],
    registers,
  });
  const seconds = new Histogram({
    name: 'passport_gate_seconds',
    help: 'Time to an answer',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5],
    registers,
  });
  const gauge = (name: string, help: string, measure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(measure());
      },
    });
  const now = () => Date.now() / 1000;
  gauge(
    'passport_gate_list_age_seconds',
    'Time since a source has confirmed the list',
    () => registry.status().age ?? Number.NaN,
  );
  gauge('passport_gate_list_fresh_seconds', 'Time until the list is no longer fresh', () => {
    const { freshUntil } = registry.status();
    return freshUntil === undefined ? Number.NaN : freshUntil.getTime() / 1000 - now();
  });
  gauge('passport_gate_policies_refused', 'Policy files that are wrong', () => policies.problems().length);
  if (isConnected !== undefined)
    gauge('passport_gate_redis_connected', 'Whether Redis is connected', () => Number(isConnected()));
  return {
    count: ({ profile = 'none', status, error = 'none' }: AnsweredCheck) =>
      answers.inc({ profile, status, error }),
    startTimer: () => seconds.startTimer(),
    text: () => all.metrics(),
    type: all.contentType,
  };
}
