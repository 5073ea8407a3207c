// The interface that middleware/fastify.ts augments. Fastify's own types would bring the types of Node.js along.
export interface FastifyRequest {
  body: unknown;
}
