/**
 * Compiles the validators of request schemas after the server listens: loading Ajv and compiling takes 130 ms. A request
 * that arrives earlier compiles the validator that it needs.
 */
import { createRequire } from 'node:module';
import type * as AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';

/** Pause between two validators, so that a request waits for one at most. */
const PAUSE_MS = 20;

/** The validator interface of Fastify. */
type Validate = { (data: unknown): unknown; errors?: unknown };
type Compile = (definition: unknown) => Validate;

const OPTIONS = { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } };

export function useLazyValidators(app: FastifyInstance): void {
  let compile: Compile | undefined;
  const waiting: (() => void)[] = [];
  const compilerOf: FastifySchemaCompiler<unknown> = (definition) => {
    let compiled: Validate | undefined;
    const prepare = () => {
      compile ??= loadCompiler();
      compiled ??= compile(definition);
      return compiled;
    };
    waiting.push(prepare);
    const validate: Validate = (data) => {
      const own = prepare();
      const result = own(data);
      validate.errors = own.errors;
      return result;
    };
    return validate as ReturnType<FastifySchemaCompiler<unknown>>;
  };
  app.setValidatorCompiler(compilerOf);
  app.addHook('onListen', async () => {
    const next = () => {
      waiting.shift()?.();
      if (waiting.length > 0) setTimeout(next, PAUSE_MS).unref();
    };
    setTimeout(next, PAUSE_MS).unref();
  });
}

function loadCompiler(): Compile {
  const { AjvCompiler: create }: typeof AjvCompiler = createRequire(import.meta.url)('@fastify/ajv-compiler');
  return create()({}, OPTIONS) as unknown as Compile;
}
