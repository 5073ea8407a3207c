// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.
// @ts-nocheck
import { isDeepStrictEqual } from 'node:util';
import { isDateTime } from '@passport-registry/verifier';

/** What a schema refuses, as Ajv reports it. */
export interface SchemaError {
  readonly keyword: string;
  /** The place in the value, as a JSON Pointer (RFC 6901). */
  readonly instancePath: string;
  /** They depend on the keyword. */
  readonly params: Readonly<Record<string, any>>;
  readonly message: string;
  /** The value; as the schema below, only of a validator that reports them. */
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, any>>;
}

/** Whether a value conforms to a schema; if not, `errors` has the reasons until the next call. */
export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

const formats = {
  // Whoever uses an address parses it as browsers do (WHATWG URL), which refuses ports and hosts that the pattern lets through.
  uri: (text) => URL.canParse(text),
  'date-time': isDateTime,
};
export const validateIssuer: Validator = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Issuer","description":"One recognised issuer of agent passports. An author writes it as YAML in issuers/<issuer_id>.yaml; the registry publishes it as canonical JSON at /issuers/<issuer_id>.","type":"object","additionalProperties":false,"required":["issuer_id","tier","jwks_uri","discovery_uri","status","certified_since"],"properties":{"issuer_id":{"title":"Issuer id","description":"The issuer's name in the registry, equal to the name of its file without .yaml. It never changes and is never reused.","$ref":"#/$defs/issuerId","examples":["aurora-bank","passports.meridian.example"]},"tier":{"title":"Tier","description":"How thoroughly the operator of the registry has examined the issuer. A verifier's trust policy names the accepted tiers.","type":"string","enum":["founding","certified","registered","sandbox"],"examples":["certified"]},"jwks_uri":{"title":"JWKS URL","description":"The URL of the public keys that verify the issuer's passports (a JSON Web Key Set, RFC 7517).","$ref":"#/$defs/httpsUri","examples":["https://aurora-bank.example/.well-known/jwks.json"]},"discovery_uri":{"title":"Discovery URL","description":"The URL of the issuer's metadata. The metadata must name the same issuer_id and jwks_uri as this record.","$ref":"#/$defs/httpsUri","examples":["https://aurora-bank.example/.well-known/openid-configuration"]},"policy_uri":{"title":"Policy URL","description":"The URL of the issuer's policy for people, or null. Preferably https. A fragment is allowed.","anyOf":[{"$ref":"#/$defs/webUri"},{"type":"null"}],"examples":["https://aurora-bank.example/agents/policy",null]},"status":{"title":"Status","description":"Verifiers reject an issuer that is suspended or revoked. Revoked is final.","type":"string","enum":["active","suspended","revoked"],"examples":["active"]},"certified_since":{"title":"Certified since","description":"When the registry recognised the issuer: an RFC 3339 date-time. It never changes.","$ref":"#/$defs/dateTime","examples":["2026-01-15T09:00:00Z"]},"last_audit":{"title":"Last audit","description":"When the issuer was last audited: an RFC 3339 date-time, or null.","anyOf":[{"$ref":"#/$defs/dateTime"},{"type":"null"}],"examples":["2026-06-30T00:00:00Z",null]},"geographical_scope":{"title":"Geographical scope","description":"Where the issuer's passports are meant to be used: ISO 3166-1 alpha-2 country codes, ISO 3166-2 subdivision codes, or global. A missing field means: not declared. An empty list means: nowhere.","type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/geographicalCode"},"examples":[["NO","SE","US-CA"],["global"]]},"domain_scope":{"title":"Domain scope","description":"The domains of activity for which the issuer vouches: lower-case slugs or DNS names.","type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/slug"},"examples":[["banking","payments"]]},"passport_types":{"title":"Passport types","description":"The kinds of passport that the issuer mints: lower-case slugs.","type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/slug"},"examples":[["ai-assistant","service-agent"]]},"contact":{"title":"Contact","description":"An e-mail address for people who operate or examine the registry, or null.","anyOf":[{"$ref":"#/$defs/email"},{"type":"null"}],"examples":["passports@aurora-bank.example",null]}},"$defs":{"issuerId":{"$comment":"1 to 128 characters; no .. inside; not index, no Windows device name; no ending that hosts rewrite.","type":"string","pattern":"^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$"},"httpsUri":{"$comment":"RFC 3986 in ASCII: scheme https, a DNS name or IPv4 address, an optional port; no user name, no fragment.","type":"string","format":"uri","maxLength":2048,"pattern":"^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"},"webUri":{"$comment":"Like httpsUri, but http and a fragment are allowed, because only people open this URL. Other schemes, such as javascript:, are not.","type":"string","format":"uri","maxLength":2048,"pattern":"^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"},"dateTime":{"$comment":"RFC 3339 date-time. The pattern checks the grammar. The format checks the length of months and leap seconds.","type":"string","format":"date-time","maxLength":64,"pattern":"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"},"geographicalCode":{"type":"string","pattern":"^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$"},"slug":{"$comment":"1 to 64 characters: letters, digits and hyphens; dots between the labels of a DNS name.","type":"string","maxLength":64,"pattern":"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"},"email":{"$comment":"RFC 5321 Mailbox in its common form: a dot-atom, an at sign, a DNS name of two or more labels.","type":"string","format":"email","maxLength":254,"pattern":"^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"}}};
const schema32 = {"$comment":"1 to 128 characters; no .. inside; not index, no Windows device name; no ending that hosts rewrite.","type":"string","pattern":"^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$"};
const schema33 = {"$comment":"RFC 3986 in ASCII: scheme https, a DNS name or IPv4 address, an optional port; no user name, no fragment.","type":"string","format":"uri","maxLength":2048,"pattern":"^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"};
const schema35 = {"$comment":"Like httpsUri, but http and a fragment are allowed, because only people open this URL. Other schemes, such as javascript:, are not.","type":"string","format":"uri","maxLength":2048,"pattern":"^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"};
const schema36 = {"$comment":"RFC 3339 date-time. The pattern checks the grammar. The format checks the length of months and leap seconds.","type":"string","format":"date-time","maxLength":64,"pattern":"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"};
const schema38 = {"type":"string","pattern":"^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$"};
const schema39 = {"$comment":"1 to 64 characters: letters, digits and hyphens; dots between the labels of a DNS name.","type":"string","maxLength":64,"pattern":"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"};
const schema41 = {"$comment":"RFC 5321 Mailbox in its common form: a dot-atom, an at sign, a DNS name of two or more labels.","type":"string","format":"email","maxLength":254,"pattern":"^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"};
const func1 = Object.prototype.hasOwnProperty;
const func2 = (text) => [...text].length;
const func0 = (a, b) => a === b || (typeof a === 'object' && isDeepStrictEqual(a, b));
const pattern4 = new RegExp("^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$", "u");
const pattern5 = new RegExp("^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$", "u");
const pattern7 = new RegExp("^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$", "u");
const pattern8 = new RegExp("^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$", "u");
const pattern10 = new RegExp("^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$", "u");
const pattern11 = new RegExp("^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$", "u");
const pattern13 = new RegExp("^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$", "u");
const formats0 = formats.uri;
const formats6 = formats["date-time"];

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.issuer_id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "issuer_id"},message:"must have required property '"+"issuer_id"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.tier === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "tier"},message:"must have required property '"+"tier"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.jwks_uri === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "jwks_uri"},message:"must have required property '"+"jwks_uri"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.discovery_uri === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "discovery_uri"},message:"must have required property '"+"discovery_uri"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.status === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.certified_since === undefined){
const err5 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "certified_since"},message:"must have required property '"+"certified_since"+"'"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
for(const key0 in data){
if(!(func1.call(schema31.properties, key0))){
const err6 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.issuer_id !== undefined){
let data0 = data.issuer_id;
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
const err7 = {instancePath:instancePath+"/issuer_id",schemaPath:"#/$defs/issuerId/pattern",keyword:"pattern",params:{pattern: "^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$"},message:"must match pattern \""+"^(?!index$)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\\.|$))(?!.*\\.\\.)(?!.*\\.(?:gz|br|html?)$)[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/issuer_id",schemaPath:"#/$defs/issuerId/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.tier !== undefined){
let data1 = data.tier;
if(typeof data1 !== "string"){
const err9 = {instancePath:instancePath+"/tier",schemaPath:"#/properties/tier/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(!((((data1 === "founding") || (data1 === "certified")) || (data1 === "registered")) || (data1 === "sandbox"))){
const err10 = {instancePath:instancePath+"/tier",schemaPath:"#/properties/tier/enum",keyword:"enum",params:{allowedValues: schema31.properties.tier.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.jwks_uri !== undefined){
let data2 = data.jwks_uri;
if(typeof data2 === "string"){
if(func2(data2) > 2048){
const err11 = {instancePath:instancePath+"/jwks_uri",schemaPath:"#/$defs/httpsUri/maxLength",keyword:"maxLength",params:{limit: 2048},message:"must NOT have more than 2048 characters"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!pattern5.test(data2)){
const err12 = {instancePath:instancePath+"/jwks_uri",schemaPath:"#/$defs/httpsUri/pattern",keyword:"pattern",params:{pattern: "^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"},message:"must match pattern \""+"^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"+"\""};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(!(formats0(data2))){
const err13 = {instancePath:instancePath+"/jwks_uri",schemaPath:"#/$defs/httpsUri/format",keyword:"format",params:{format: "uri"},message:"must match format \""+"uri"+"\""};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
else {
const err14 = {instancePath:instancePath+"/jwks_uri",schemaPath:"#/$defs/httpsUri/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.discovery_uri !== undefined){
let data3 = data.discovery_uri;
if(typeof data3 === "string"){
if(func2(data3) > 2048){
const err15 = {instancePath:instancePath+"/discovery_uri",schemaPath:"#/$defs/httpsUri/maxLength",keyword:"maxLength",params:{limit: 2048},message:"must NOT have more than 2048 characters"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(!pattern5.test(data3)){
const err16 = {instancePath:instancePath+"/discovery_uri",schemaPath:"#/$defs/httpsUri/pattern",keyword:"pattern",params:{pattern: "^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"},message:"must match pattern \""+"^https://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"+"\""};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(!(formats0(data3))){
const err17 = {instancePath:instancePath+"/discovery_uri",schemaPath:"#/$defs/httpsUri/format",keyword:"format",params:{format: "uri"},message:"must match format \""+"uri"+"\""};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
else {
const err18 = {instancePath:instancePath+"/discovery_uri",schemaPath:"#/$defs/httpsUri/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data.policy_uri !== undefined){
let data4 = data.policy_uri;
const _errs17 = errors;
let valid4 = false;
const _errs18 = errors;
if(typeof data4 === "string"){
if(func2(data4) > 2048){
const err19 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/$defs/webUri/maxLength",keyword:"maxLength",params:{limit: 2048},message:"must NOT have more than 2048 characters"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(!pattern7.test(data4)){
const err20 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/$defs/webUri/pattern",keyword:"pattern",params:{pattern: "^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"},message:"must match pattern \""+"^https?://[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"+"\""};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(!(formats0(data4))){
const err21 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/$defs/webUri/format",keyword:"format",params:{format: "uri"},message:"must match format \""+"uri"+"\""};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/$defs/webUri/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
var _valid0 = _errs18 === errors;
valid4 = valid4 || _valid0;
const _errs22 = errors;
if(data4 !== null){
const err23 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/properties/policy_uri/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
var _valid0 = _errs22 === errors;
valid4 = valid4 || _valid0;
if(!valid4){
const err24 = {instancePath:instancePath+"/policy_uri",schemaPath:"#/properties/policy_uri/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
else {
errors = _errs17;
if(vErrors !== null){
if(_errs17){
vErrors.length = _errs17;
}
else {
vErrors = null;
}
}
}
}
if(data.status !== undefined){
let data5 = data.status;
if(typeof data5 !== "string"){
const err25 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if(!(((data5 === "active") || (data5 === "suspended")) || (data5 === "revoked"))){
const err26 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema31.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data.certified_since !== undefined){
let data6 = data.certified_since;
if(typeof data6 === "string"){
if(func2(data6) > 64){
const err27 = {instancePath:instancePath+"/certified_since",schemaPath:"#/$defs/dateTime/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(!pattern8.test(data6)){
const err28 = {instancePath:instancePath+"/certified_since",schemaPath:"#/$defs/dateTime/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"},message:"must match pattern \""+"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"+"\""};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(!(formats6(data6))){
const err29 = {instancePath:instancePath+"/certified_since",schemaPath:"#/$defs/dateTime/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
else {
const err30 = {instancePath:instancePath+"/certified_since",schemaPath:"#/$defs/dateTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data.last_audit !== undefined){
let data7 = data.last_audit;
const _errs31 = errors;
let valid7 = false;
const _errs32 = errors;
if(typeof data7 === "string"){
if(func2(data7) > 64){
const err31 = {instancePath:instancePath+"/last_audit",schemaPath:"#/$defs/dateTime/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(!pattern8.test(data7)){
const err32 = {instancePath:instancePath+"/last_audit",schemaPath:"#/$defs/dateTime/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"},message:"must match pattern \""+"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"+"\""};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if(!(formats6(data7))){
const err33 = {instancePath:instancePath+"/last_audit",schemaPath:"#/$defs/dateTime/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
else {
const err34 = {instancePath:instancePath+"/last_audit",schemaPath:"#/$defs/dateTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
var _valid1 = _errs32 === errors;
valid7 = valid7 || _valid1;
const _errs36 = errors;
if(data7 !== null){
const err35 = {instancePath:instancePath+"/last_audit",schemaPath:"#/properties/last_audit/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
var _valid1 = _errs36 === errors;
valid7 = valid7 || _valid1;
if(!valid7){
const err36 = {instancePath:instancePath+"/last_audit",schemaPath:"#/properties/last_audit/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
else {
errors = _errs31;
if(vErrors !== null){
if(_errs31){
vErrors.length = _errs31;
}
else {
vErrors = null;
}
}
}
}
if(data.geographical_scope !== undefined){
let data8 = data.geographical_scope;
if(Array.isArray(data8)){
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
let data9 = data8[i0];
if(typeof data9 === "string"){
if(!pattern10.test(data9)){
const err37 = {instancePath:instancePath+"/geographical_scope/" + i0,schemaPath:"#/$defs/geographicalCode/pattern",keyword:"pattern",params:{pattern: "^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$"},message:"must match pattern \""+"^(?:global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?)$"+"\""};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
else {
const err38 = {instancePath:instancePath+"/geographical_scope/" + i0,schemaPath:"#/$defs/geographicalCode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
let i1 = data8.length;
let j0;
if(i1 > 1){
outer0:
for(;i1--;){
for(j0 = i1; j0--;){
if(func0(data8[i1], data8[j0])){
const err39 = {instancePath:instancePath+"/geographical_scope",schemaPath:"#/properties/geographical_scope/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0},message:"must NOT have duplicate items (items ## "+j0+" and "+i1+" are identical)"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
break outer0;
}
}
}
}
}
else {
const err40 = {instancePath:instancePath+"/geographical_scope",schemaPath:"#/properties/geographical_scope/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
if(data.domain_scope !== undefined){
let data10 = data.domain_scope;
if(Array.isArray(data10)){
const len1 = data10.length;
for(let i2=0; i2<len1; i2++){
let data11 = data10[i2];
if(typeof data11 === "string"){
if(func2(data11) > 64){
const err41 = {instancePath:instancePath+"/domain_scope/" + i2,schemaPath:"#/$defs/slug/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
if(!pattern11.test(data11)){
const err42 = {instancePath:instancePath+"/domain_scope/" + i2,schemaPath:"#/$defs/slug/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"},message:"must match pattern \""+"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"+"\""};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
else {
const err43 = {instancePath:instancePath+"/domain_scope/" + i2,schemaPath:"#/$defs/slug/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
let i3 = data10.length;
let j1;
if(i3 > 1){
outer1:
for(;i3--;){
for(j1 = i3; j1--;){
if(func0(data10[i3], data10[j1])){
const err44 = {instancePath:instancePath+"/domain_scope",schemaPath:"#/properties/domain_scope/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1},message:"must NOT have duplicate items (items ## "+j1+" and "+i3+" are identical)"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
break outer1;
}
}
}
}
}
else {
const err45 = {instancePath:instancePath+"/domain_scope",schemaPath:"#/properties/domain_scope/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data.passport_types !== undefined){
let data12 = data.passport_types;
if(Array.isArray(data12)){
const len2 = data12.length;
for(let i4=0; i4<len2; i4++){
let data13 = data12[i4];
if(typeof data13 === "string"){
if(func2(data13) > 64){
const err46 = {instancePath:instancePath+"/passport_types/" + i4,schemaPath:"#/$defs/slug/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(!pattern11.test(data13)){
const err47 = {instancePath:instancePath+"/passport_types/" + i4,schemaPath:"#/$defs/slug/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"},message:"must match pattern \""+"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$"+"\""};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
else {
const err48 = {instancePath:instancePath+"/passport_types/" + i4,schemaPath:"#/$defs/slug/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
let i5 = data12.length;
let j2;
if(i5 > 1){
outer2:
for(;i5--;){
for(j2 = i5; j2--;){
if(func0(data12[i5], data12[j2])){
const err49 = {instancePath:instancePath+"/passport_types",schemaPath:"#/properties/passport_types/uniqueItems",keyword:"uniqueItems",params:{i: i5, j: j2},message:"must NOT have duplicate items (items ## "+j2+" and "+i5+" are identical)"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
break outer2;
}
}
}
}
}
else {
const err50 = {instancePath:instancePath+"/passport_types",schemaPath:"#/properties/passport_types/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data.contact !== undefined){
let data14 = data.contact;
const _errs56 = errors;
let valid21 = false;
const _errs57 = errors;
if(typeof data14 === "string"){
if(func2(data14) > 254){
const err51 = {instancePath:instancePath+"/contact",schemaPath:"#/$defs/email/maxLength",keyword:"maxLength",params:{limit: 254},message:"must NOT have more than 254 characters"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
if(!pattern13.test(data14)){
const err52 = {instancePath:instancePath+"/contact",schemaPath:"#/$defs/email/pattern",keyword:"pattern",params:{pattern: "^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"},message:"must match pattern \""+"^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
else {
const err53 = {instancePath:instancePath+"/contact",schemaPath:"#/$defs/email/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
var _valid2 = _errs57 === errors;
valid21 = valid21 || _valid2;
const _errs61 = errors;
if(data14 !== null){
const err54 = {instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/anyOf/1/type",keyword:"type",params:{type: "null"},message:"must be null"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
var _valid2 = _errs61 === errors;
valid21 = valid21 || _valid2;
if(!valid21){
const err55 = {instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
else {
errors = _errs56;
if(vErrors !== null){
if(_errs56){
vErrors.length = _errs56;
}
else {
vErrors = null;
}
}
}
}
}
else {
const err56 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
