// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.
// @ts-nocheck
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
export const validateNonceRequest: Validator = validate20;
const schema31 = {"type":"object","required":["principal_id","realm_id"],"additionalProperties":false,"properties":{"principal_id":{"description":"The principal for which the agent acts.","type":"string","minLength":1,"maxLength":256},"realm_id":{"description":"The realm in which the agent acts.","type":"string","minLength":1,"maxLength":256},"owner_user_id":{"type":["string","null"],"minLength":1,"maxLength":256},"public_key":{"description":"The key that the nonce is bound to. If it is missing, the nonce can be used with any key.","type":"object","required":["kty","crv","x"],"properties":{"kty":{"enum":["OKP","EC"]},"crv":{"enum":["Ed25519","P-256"]},"x":{"$comment":"43 characters; the last one holds four significant bits, so it is one of sixteen.","type":"string","pattern":"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},"y":{"$comment":"43 characters; the last one holds four significant bits, so it is one of sixteen.","type":"string","pattern":"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},"kid":{"type":"string","maxLength":256},"use":{"const":"sig"},"alg":{"enum":["EdDSA","Ed25519","ES256"]}},"additionalProperties":false,"oneOf":[{"properties":{"kty":{"const":"OKP"},"crv":{"const":"Ed25519"},"y":false}},{"properties":{"kty":{"const":"EC"},"crv":{"const":"P-256"}},"required":["y"]}]}}};
const func1 = (text) => [...text].length;
const pattern4 = new RegExp("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$", "u");

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
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.principal_id === undefined) && (missing0 = "principal_id")) || ((data.realm_id === undefined) && (missing0 = "realm_id"))){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "principal_id") || (key0 === "realm_id")) || (key0 === "owner_user_id")) || (key0 === "public_key"))){
validate20.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.principal_id !== undefined){
let data0 = data.principal_id;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(func1(data0) > 256){
validate20.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data0) < 1){
validate20.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.realm_id !== undefined){
let data1 = data.realm_id;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func1(data1) > 256){
validate20.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data1) < 1){
validate20.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.owner_user_id !== undefined){
let data2 = data.owner_user_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate20.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/type",keyword:"type",params:{type: schema31.properties.owner_user_id.type},message:"must be string,null"}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(func1(data2) > 256){
validate20.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data2) < 1){
validate20.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.public_key !== undefined){
let data3 = data.public_key;
const _errs8 = errors;
const _errs10 = errors;
let valid1 = false;
let passing0 = null;
const _errs11 = errors;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.kty !== undefined){
const _errs12 = errors;
if("OKP" !== data3.kty){
const err0 = {instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/oneOf/0/properties/kty/const",keyword:"const",params:{allowedValue: "OKP"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var valid2 = _errs12 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.crv !== undefined){
const _errs13 = errors;
if("Ed25519" !== data3.crv){
const err1 = {instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/oneOf/0/properties/crv/const",keyword:"const",params:{allowedValue: "Ed25519"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.y !== undefined){
var valid2 = false;
const err2 = {instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/oneOf/0/properties/y/false schema",keyword:"false schema",params:{},message:"boolean schema is false"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
var valid2 = true;
}
}
}
}
var _valid0 = _errs11 === errors;
if(_valid0){
valid1 = true;
passing0 = 0;
var props0 = {};
props0.kty = true;
props0.crv = true;
props0.y = true;
}
const _errs14 = errors;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing1;
if((data3.y === undefined) && (missing1 = "y")){
const err3 = {instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/oneOf/1/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
else {
if(data3.kty !== undefined){
const _errs15 = errors;
if("EC" !== data3.kty){
const err4 = {instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/oneOf/1/properties/kty/const",keyword:"const",params:{allowedValue: "EC"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var valid3 = _errs15 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data3.crv !== undefined){
const _errs16 = errors;
if("P-256" !== data3.crv){
const err5 = {instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/oneOf/1/properties/crv/const",keyword:"const",params:{allowedValue: "P-256"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
var valid3 = _errs16 === errors;
}
else {
var valid3 = true;
}
}
}
}
var _valid0 = _errs14 === errors;
if(_valid0 && valid1){
valid1 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid1 = true;
passing0 = 1;
if(props0 !== true){
props0 = props0 || {};
props0.kty = true;
props0.crv = true;
}
}
}
if(!valid1){
const err6 = {instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/oneOf",keyword:"oneOf",params:{passingSchemas: passing0},message:"must match exactly one schema in oneOf"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
validate20.errors = vErrors;
return false;
}
else {
errors = _errs10;
if(vErrors !== null){
if(_errs10){
vErrors.length = _errs10;
}
else {
vErrors = null;
}
}
}
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing2;
if((((data3.kty === undefined) && (missing2 = "kty")) || ((data3.crv === undefined) && (missing2 = "crv"))) || ((data3.x === undefined) && (missing2 = "x"))){
validate20.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs17 = errors;
for(const key1 in data3){
if(!(((((((key1 === "kty") || (key1 === "crv")) || (key1 === "x")) || (key1 === "y")) || (key1 === "kid")) || (key1 === "use")) || (key1 === "alg"))){
validate20.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs17 === errors){
if(data3.kty !== undefined){
let data9 = data3.kty;
const _errs18 = errors;
if(!((data9 === "OKP") || (data9 === "EC"))){
validate20.errors = [{instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/properties/kty/enum",keyword:"enum",params:{allowedValues: schema31.properties.public_key.properties.kty.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.crv !== undefined){
let data10 = data3.crv;
const _errs19 = errors;
if(!((data10 === "Ed25519") || (data10 === "P-256"))){
validate20.errors = [{instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/properties/crv/enum",keyword:"enum",params:{allowedValues: schema31.properties.public_key.properties.crv.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs19 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.x !== undefined){
let data11 = data3.x;
const _errs20 = errors;
if(errors === _errs20){
if(typeof data11 === "string"){
if(!pattern4.test(data11)){
validate20.errors = [{instancePath:instancePath+"/public_key/x",schemaPath:"#/properties/public_key/properties/x/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/public_key/x",schemaPath:"#/properties/public_key/properties/x/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs20 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.y !== undefined){
let data12 = data3.y;
const _errs23 = errors;
if(errors === _errs23){
if(typeof data12 === "string"){
if(!pattern4.test(data12)){
validate20.errors = [{instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/properties/y/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/properties/y/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs23 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.kid !== undefined){
let data13 = data3.kid;
const _errs26 = errors;
if(errors === _errs26){
if(typeof data13 === "string"){
if(func1(data13) > 256){
validate20.errors = [{instancePath:instancePath+"/public_key/kid",schemaPath:"#/properties/public_key/properties/kid/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/public_key/kid",schemaPath:"#/properties/public_key/properties/kid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs26 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.use !== undefined){
const _errs28 = errors;
if("sig" !== data3.use){
validate20.errors = [{instancePath:instancePath+"/public_key/use",schemaPath:"#/properties/public_key/properties/use/const",keyword:"const",params:{allowedValue: "sig"},message:"must be equal to constant"}];
return false;
}
var valid4 = _errs28 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.alg !== undefined){
let data15 = data3.alg;
const _errs29 = errors;
if(!(((data15 === "EdDSA") || (data15 === "Ed25519")) || (data15 === "ES256"))){
validate20.errors = [{instancePath:instancePath+"/public_key/alg",schemaPath:"#/properties/public_key/properties/alg/enum",keyword:"enum",params:{allowedValues: schema31.properties.public_key.properties.alg.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs29 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const validateMintRequest: Validator = validate21;
const schema32 = {"type":"object","required":["realm_id","principal_id","public_key","nonce_id","signed_nonce","agent_type","capabilities","subdelegation_mode"],"additionalProperties":false,"properties":{"realm_id":{"type":"string","minLength":1,"maxLength":256},"principal_id":{"type":"string","minLength":1,"maxLength":256},"owner_user_id":{"type":["string","null"],"minLength":1,"maxLength":256},"public_key":{"description":"A public key: Ed25519 (RFC 8037) or P-256 (RFC 7518).","type":"object","required":["kty","crv","x"],"properties":{"kty":{"enum":["OKP","EC"]},"crv":{"enum":["Ed25519","P-256"]},"x":{"$comment":"43 characters; the last one holds four significant bits, so it is one of sixteen.","type":"string","pattern":"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},"y":{"$comment":"43 characters; the last one holds four significant bits, so it is one of sixteen.","type":"string","pattern":"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},"kid":{"type":"string","maxLength":256},"use":{"const":"sig"},"alg":{"enum":["EdDSA","Ed25519","ES256"]}},"additionalProperties":false,"oneOf":[{"properties":{"kty":{"const":"OKP"},"crv":{"const":"Ed25519"},"y":false}},{"properties":{"kty":{"const":"EC"},"crv":{"const":"P-256"}},"required":["y"]}]},"nonce_id":{"type":"string","format":"uuid"},"signed_nonce":{"description":"The raw signature of the agent's key over the ASCII bytes of the nonce, base64url; or a JWS (`typ: passport-nonce+jwt`, header `jwk`, claims `aud`, `nonce`, `iat`).","type":"string","maxLength":4096,"pattern":"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)?$"},"agent_type":{"enum":["ai-assistant","autonomous-agent","human-proxy","service-agent"]},"capabilities":{"description":"The agent's own statement of its capabilities. It grants no permissions.","type":"array","maxItems":256,"items":{"type":"string","minLength":1,"maxLength":256}},"subdelegation_mode":{"enum":["none","controlled"]},"subdelegation_max_depth":{"type":"integer","minimum":0,"maximum":16},"software_id":{"type":"string","minLength":1,"maxLength":256},"software_version":{"type":"string","minLength":1,"maxLength":256},"model_id":{"type":"string","minLength":1,"maxLength":256},"model_version":{"type":"string","minLength":1,"maxLength":256},"memory_anchor_id":{"type":"string","minLength":1,"maxLength":256},"mandate":{"description":"The permitted actions: an object, to which the issuer adds `mandate_id` and `issued_at` if they are missing; or a JWS that the principal signed (`typ: mandate+jwt`).","oneOf":[{"type":"object","required":["scope","expires_at"],"additionalProperties":false,"properties":{"mandate_id":{"type":"string","minLength":1,"maxLength":256},"scope":{"type":"array","maxItems":256,"items":{"description":"An action in dotted form. A trailing `.*` stands for all names below.","type":"string","maxLength":256,"pattern":"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?$"}},"issued_at":{"type":"string","format":"date-time"},"expires_at":{"type":"string","format":"date-time"},"policy":{"description":"Further restrictions. A verifier rejects the passport if it does not know one of them.","type":"object","maxProperties":32}}},{"type":"string","maxLength":8192,"pattern":"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$"}]}}};
const func8 = Object.prototype.hasOwnProperty;
const pattern8 = new RegExp("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)?$", "u");
const pattern9 = new RegExp("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?$", "u");
const pattern10 = new RegExp("^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$", "u");
const formats0 = /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const formats2 = formats["date-time"];

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((((data.realm_id === undefined) && (missing0 = "realm_id")) || ((data.principal_id === undefined) && (missing0 = "principal_id"))) || ((data.public_key === undefined) && (missing0 = "public_key"))) || ((data.nonce_id === undefined) && (missing0 = "nonce_id"))) || ((data.signed_nonce === undefined) && (missing0 = "signed_nonce"))) || ((data.agent_type === undefined) && (missing0 = "agent_type"))) || ((data.capabilities === undefined) && (missing0 = "capabilities"))) || ((data.subdelegation_mode === undefined) && (missing0 = "subdelegation_mode"))){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func8.call(schema32.properties, key0))){
validate21.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.realm_id !== undefined){
let data0 = data.realm_id;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(func1(data0) > 256){
validate21.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data0) < 1){
validate21.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/realm_id",schemaPath:"#/properties/realm_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.principal_id !== undefined){
let data1 = data.principal_id;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func1(data1) > 256){
validate21.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data1) < 1){
validate21.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/principal_id",schemaPath:"#/properties/principal_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.owner_user_id !== undefined){
let data2 = data.owner_user_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate21.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/type",keyword:"type",params:{type: schema32.properties.owner_user_id.type},message:"must be string,null"}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(func1(data2) > 256){
validate21.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data2) < 1){
validate21.errors = [{instancePath:instancePath+"/owner_user_id",schemaPath:"#/properties/owner_user_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.public_key !== undefined){
let data3 = data.public_key;
const _errs8 = errors;
const _errs10 = errors;
let valid1 = false;
let passing0 = null;
const _errs11 = errors;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.kty !== undefined){
const _errs12 = errors;
if("OKP" !== data3.kty){
const err0 = {instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/oneOf/0/properties/kty/const",keyword:"const",params:{allowedValue: "OKP"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var valid2 = _errs12 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.crv !== undefined){
const _errs13 = errors;
if("Ed25519" !== data3.crv){
const err1 = {instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/oneOf/0/properties/crv/const",keyword:"const",params:{allowedValue: "Ed25519"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.y !== undefined){
var valid2 = false;
const err2 = {instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/oneOf/0/properties/y/false schema",keyword:"false schema",params:{},message:"boolean schema is false"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
var valid2 = true;
}
}
}
}
var _valid0 = _errs11 === errors;
if(_valid0){
valid1 = true;
passing0 = 0;
var props0 = {};
props0.kty = true;
props0.crv = true;
props0.y = true;
}
const _errs14 = errors;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing1;
if((data3.y === undefined) && (missing1 = "y")){
const err3 = {instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/oneOf/1/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
else {
if(data3.kty !== undefined){
const _errs15 = errors;
if("EC" !== data3.kty){
const err4 = {instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/oneOf/1/properties/kty/const",keyword:"const",params:{allowedValue: "EC"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var valid3 = _errs15 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data3.crv !== undefined){
const _errs16 = errors;
if("P-256" !== data3.crv){
const err5 = {instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/oneOf/1/properties/crv/const",keyword:"const",params:{allowedValue: "P-256"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
var valid3 = _errs16 === errors;
}
else {
var valid3 = true;
}
}
}
}
var _valid0 = _errs14 === errors;
if(_valid0 && valid1){
valid1 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid1 = true;
passing0 = 1;
if(props0 !== true){
props0 = props0 || {};
props0.kty = true;
props0.crv = true;
}
}
}
if(!valid1){
const err6 = {instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/oneOf",keyword:"oneOf",params:{passingSchemas: passing0},message:"must match exactly one schema in oneOf"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
validate21.errors = vErrors;
return false;
}
else {
errors = _errs10;
if(vErrors !== null){
if(_errs10){
vErrors.length = _errs10;
}
else {
vErrors = null;
}
}
}
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing2;
if((((data3.kty === undefined) && (missing2 = "kty")) || ((data3.crv === undefined) && (missing2 = "crv"))) || ((data3.x === undefined) && (missing2 = "x"))){
validate21.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs17 = errors;
for(const key1 in data3){
if(!(((((((key1 === "kty") || (key1 === "crv")) || (key1 === "x")) || (key1 === "y")) || (key1 === "kid")) || (key1 === "use")) || (key1 === "alg"))){
validate21.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs17 === errors){
if(data3.kty !== undefined){
let data9 = data3.kty;
const _errs18 = errors;
if(!((data9 === "OKP") || (data9 === "EC"))){
validate21.errors = [{instancePath:instancePath+"/public_key/kty",schemaPath:"#/properties/public_key/properties/kty/enum",keyword:"enum",params:{allowedValues: schema32.properties.public_key.properties.kty.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.crv !== undefined){
let data10 = data3.crv;
const _errs19 = errors;
if(!((data10 === "Ed25519") || (data10 === "P-256"))){
validate21.errors = [{instancePath:instancePath+"/public_key/crv",schemaPath:"#/properties/public_key/properties/crv/enum",keyword:"enum",params:{allowedValues: schema32.properties.public_key.properties.crv.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs19 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.x !== undefined){
let data11 = data3.x;
const _errs20 = errors;
if(errors === _errs20){
if(typeof data11 === "string"){
if(!pattern4.test(data11)){
validate21.errors = [{instancePath:instancePath+"/public_key/x",schemaPath:"#/properties/public_key/properties/x/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"+"\""}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/public_key/x",schemaPath:"#/properties/public_key/properties/x/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs20 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.y !== undefined){
let data12 = data3.y;
const _errs23 = errors;
if(errors === _errs23){
if(typeof data12 === "string"){
if(!pattern4.test(data12)){
validate21.errors = [{instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/properties/y/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"+"\""}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/public_key/y",schemaPath:"#/properties/public_key/properties/y/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs23 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.kid !== undefined){
let data13 = data3.kid;
const _errs26 = errors;
if(errors === _errs26){
if(typeof data13 === "string"){
if(func1(data13) > 256){
validate21.errors = [{instancePath:instancePath+"/public_key/kid",schemaPath:"#/properties/public_key/properties/kid/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/public_key/kid",schemaPath:"#/properties/public_key/properties/kid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid4 = _errs26 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.use !== undefined){
const _errs28 = errors;
if("sig" !== data3.use){
validate21.errors = [{instancePath:instancePath+"/public_key/use",schemaPath:"#/properties/public_key/properties/use/const",keyword:"const",params:{allowedValue: "sig"},message:"must be equal to constant"}];
return false;
}
var valid4 = _errs28 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data3.alg !== undefined){
let data15 = data3.alg;
const _errs29 = errors;
if(!(((data15 === "EdDSA") || (data15 === "Ed25519")) || (data15 === "ES256"))){
validate21.errors = [{instancePath:instancePath+"/public_key/alg",schemaPath:"#/properties/public_key/properties/alg/enum",keyword:"enum",params:{allowedValues: schema32.properties.public_key.properties.alg.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid4 = _errs29 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/public_key",schemaPath:"#/properties/public_key/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.nonce_id !== undefined){
let data16 = data.nonce_id;
const _errs30 = errors;
if(errors === _errs30){
if(errors === _errs30){
if(typeof data16 === "string"){
if(!(formats0.test(data16))){
validate21.errors = [{instancePath:instancePath+"/nonce_id",schemaPath:"#/properties/nonce_id/format",keyword:"format",params:{format: "uuid"},message:"must match format \""+"uuid"+"\""}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/nonce_id",schemaPath:"#/properties/nonce_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.signed_nonce !== undefined){
let data17 = data.signed_nonce;
const _errs32 = errors;
if(errors === _errs32){
if(typeof data17 === "string"){
if(func1(data17) > 4096){
validate21.errors = [{instancePath:instancePath+"/signed_nonce",schemaPath:"#/properties/signed_nonce/maxLength",keyword:"maxLength",params:{limit: 4096},message:"must NOT have more than 4096 characters"}];
return false;
}
else {
if(!pattern8.test(data17)){
validate21.errors = [{instancePath:instancePath+"/signed_nonce",schemaPath:"#/properties/signed_nonce/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)?$"},message:"must match pattern \""+"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)?$"+"\""}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/signed_nonce",schemaPath:"#/properties/signed_nonce/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agent_type !== undefined){
let data18 = data.agent_type;
const _errs34 = errors;
if(!((((data18 === "ai-assistant") || (data18 === "autonomous-agent")) || (data18 === "human-proxy")) || (data18 === "service-agent"))){
validate21.errors = [{instancePath:instancePath+"/agent_type",schemaPath:"#/properties/agent_type/enum",keyword:"enum",params:{allowedValues: schema32.properties.agent_type.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capabilities !== undefined){
let data19 = data.capabilities;
const _errs35 = errors;
if(errors === _errs35){
if(Array.isArray(data19)){
if(data19.length > 256){
validate21.errors = [{instancePath:instancePath+"/capabilities",schemaPath:"#/properties/capabilities/maxItems",keyword:"maxItems",params:{limit: 256},message:"must NOT have more than 256 items"}];
return false;
}
else {
var valid5 = true;
const len0 = data19.length;
for(let i0=0; i0<len0; i0++){
let data20 = data19[i0];
const _errs37 = errors;
if(errors === _errs37){
if(typeof data20 === "string"){
if(func1(data20) > 256){
validate21.errors = [{instancePath:instancePath+"/capabilities/" + i0,schemaPath:"#/properties/capabilities/items/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data20) < 1){
validate21.errors = [{instancePath:instancePath+"/capabilities/" + i0,schemaPath:"#/properties/capabilities/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/capabilities/" + i0,schemaPath:"#/properties/capabilities/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs37 === errors;
if(!valid5){
break;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/capabilities",schemaPath:"#/properties/capabilities/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs35 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.subdelegation_mode !== undefined){
let data21 = data.subdelegation_mode;
const _errs39 = errors;
if(!((data21 === "none") || (data21 === "controlled"))){
validate21.errors = [{instancePath:instancePath+"/subdelegation_mode",schemaPath:"#/properties/subdelegation_mode/enum",keyword:"enum",params:{allowedValues: schema32.properties.subdelegation_mode.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.subdelegation_max_depth !== undefined){
let data22 = data.subdelegation_max_depth;
const _errs40 = errors;
if(!((typeof data22 == "number") && (!(data22 % 1) && !isNaN(data22)))){
validate21.errors = [{instancePath:instancePath+"/subdelegation_max_depth",schemaPath:"#/properties/subdelegation_max_depth/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs40){
if(typeof data22 == "number"){
if(data22 > 16 || isNaN(data22)){
validate21.errors = [{instancePath:instancePath+"/subdelegation_max_depth",schemaPath:"#/properties/subdelegation_max_depth/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"}];
return false;
}
else {
if(data22 < 0 || isNaN(data22)){
validate21.errors = [{instancePath:instancePath+"/subdelegation_max_depth",schemaPath:"#/properties/subdelegation_max_depth/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid0 = _errs40 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.software_id !== undefined){
let data23 = data.software_id;
const _errs42 = errors;
if(errors === _errs42){
if(typeof data23 === "string"){
if(func1(data23) > 256){
validate21.errors = [{instancePath:instancePath+"/software_id",schemaPath:"#/properties/software_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data23) < 1){
validate21.errors = [{instancePath:instancePath+"/software_id",schemaPath:"#/properties/software_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/software_id",schemaPath:"#/properties/software_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs42 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.software_version !== undefined){
let data24 = data.software_version;
const _errs44 = errors;
if(errors === _errs44){
if(typeof data24 === "string"){
if(func1(data24) > 256){
validate21.errors = [{instancePath:instancePath+"/software_version",schemaPath:"#/properties/software_version/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data24) < 1){
validate21.errors = [{instancePath:instancePath+"/software_version",schemaPath:"#/properties/software_version/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/software_version",schemaPath:"#/properties/software_version/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs44 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model_id !== undefined){
let data25 = data.model_id;
const _errs46 = errors;
if(errors === _errs46){
if(typeof data25 === "string"){
if(func1(data25) > 256){
validate21.errors = [{instancePath:instancePath+"/model_id",schemaPath:"#/properties/model_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data25) < 1){
validate21.errors = [{instancePath:instancePath+"/model_id",schemaPath:"#/properties/model_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/model_id",schemaPath:"#/properties/model_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs46 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model_version !== undefined){
let data26 = data.model_version;
const _errs48 = errors;
if(errors === _errs48){
if(typeof data26 === "string"){
if(func1(data26) > 256){
validate21.errors = [{instancePath:instancePath+"/model_version",schemaPath:"#/properties/model_version/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data26) < 1){
validate21.errors = [{instancePath:instancePath+"/model_version",schemaPath:"#/properties/model_version/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/model_version",schemaPath:"#/properties/model_version/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs48 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.memory_anchor_id !== undefined){
let data27 = data.memory_anchor_id;
const _errs50 = errors;
if(errors === _errs50){
if(typeof data27 === "string"){
if(func1(data27) > 256){
validate21.errors = [{instancePath:instancePath+"/memory_anchor_id",schemaPath:"#/properties/memory_anchor_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"}];
return false;
}
else {
if(func1(data27) < 1){
validate21.errors = [{instancePath:instancePath+"/memory_anchor_id",schemaPath:"#/properties/memory_anchor_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/memory_anchor_id",schemaPath:"#/properties/memory_anchor_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs50 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.mandate !== undefined){
let data28 = data.mandate;
const _errs52 = errors;
const _errs53 = errors;
let valid6 = false;
let passing1 = null;
const _errs54 = errors;
if(errors === _errs54){
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
let missing3;
if(((data28.scope === undefined) && (missing3 = "scope")) || ((data28.expires_at === undefined) && (missing3 = "expires_at"))){
const err7 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/0/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
else {
const _errs56 = errors;
for(const key2 in data28){
if(!(((((key2 === "mandate_id") || (key2 === "scope")) || (key2 === "issued_at")) || (key2 === "expires_at")) || (key2 === "policy"))){
const err8 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
break;
}
}
if(_errs56 === errors){
if(data28.mandate_id !== undefined){
let data29 = data28.mandate_id;
const _errs57 = errors;
if(errors === _errs57){
if(typeof data29 === "string"){
if(func1(data29) > 256){
const err9 = {instancePath:instancePath+"/mandate/mandate_id",schemaPath:"#/properties/mandate/oneOf/0/properties/mandate_id/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
else {
if(func1(data29) < 1){
const err10 = {instancePath:instancePath+"/mandate/mandate_id",schemaPath:"#/properties/mandate/oneOf/0/properties/mandate_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/mandate/mandate_id",schemaPath:"#/properties/mandate/oneOf/0/properties/mandate_id/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
var valid7 = _errs57 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data28.scope !== undefined){
let data30 = data28.scope;
const _errs59 = errors;
if(errors === _errs59){
if(Array.isArray(data30)){
if(data30.length > 256){
const err12 = {instancePath:instancePath+"/mandate/scope",schemaPath:"#/properties/mandate/oneOf/0/properties/scope/maxItems",keyword:"maxItems",params:{limit: 256},message:"must NOT have more than 256 items"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
else {
var valid8 = true;
const len1 = data30.length;
for(let i1=0; i1<len1; i1++){
let data31 = data30[i1];
const _errs61 = errors;
if(errors === _errs61){
if(typeof data31 === "string"){
if(func1(data31) > 256){
const err13 = {instancePath:instancePath+"/mandate/scope/" + i1,schemaPath:"#/properties/mandate/oneOf/0/properties/scope/items/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
else {
if(!pattern9.test(data31)){
const err14 = {instancePath:instancePath+"/mandate/scope/" + i1,schemaPath:"#/properties/mandate/oneOf/0/properties/scope/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?$"},message:"must match pattern \""+"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?$"+"\""};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
else {
const err15 = {instancePath:instancePath+"/mandate/scope/" + i1,schemaPath:"#/properties/mandate/oneOf/0/properties/scope/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
var valid8 = _errs61 === errors;
if(!valid8){
break;
}
}
}
}
else {
const err16 = {instancePath:instancePath+"/mandate/scope",schemaPath:"#/properties/mandate/oneOf/0/properties/scope/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
var valid7 = _errs59 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data28.issued_at !== undefined){
let data32 = data28.issued_at;
const _errs63 = errors;
if(errors === _errs63){
if(errors === _errs63){
if(typeof data32 === "string"){
if(!(formats2(data32))){
const err17 = {instancePath:instancePath+"/mandate/issued_at",schemaPath:"#/properties/mandate/oneOf/0/properties/issued_at/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""};
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
const err18 = {instancePath:instancePath+"/mandate/issued_at",schemaPath:"#/properties/mandate/oneOf/0/properties/issued_at/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
var valid7 = _errs63 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data28.expires_at !== undefined){
let data33 = data28.expires_at;
const _errs65 = errors;
if(errors === _errs65){
if(errors === _errs65){
if(typeof data33 === "string"){
if(!(formats2(data33))){
const err19 = {instancePath:instancePath+"/mandate/expires_at",schemaPath:"#/properties/mandate/oneOf/0/properties/expires_at/format",keyword:"format",params:{format: "date-time"},message:"must match format \""+"date-time"+"\""};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
else {
const err20 = {instancePath:instancePath+"/mandate/expires_at",schemaPath:"#/properties/mandate/oneOf/0/properties/expires_at/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
var valid7 = _errs65 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data28.policy !== undefined){
let data34 = data28.policy;
const _errs67 = errors;
if(errors === _errs67){
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
if(Object.keys(data34).length > 32){
const err21 = {instancePath:instancePath+"/mandate/policy",schemaPath:"#/properties/mandate/oneOf/0/properties/policy/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
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
const err22 = {instancePath:instancePath+"/mandate/policy",schemaPath:"#/properties/mandate/oneOf/0/properties/policy/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
var valid7 = _errs67 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
}
else {
const err23 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
var _valid1 = _errs54 === errors;
if(_valid1){
valid6 = true;
passing1 = 0;
}
const _errs69 = errors;
if(errors === _errs69){
if(typeof data28 === "string"){
if(func1(data28) > 8192){
const err24 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/1/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
else {
if(!pattern10.test(data28)){
const err25 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/1/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$"},message:"must match pattern \""+"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$"+"\""};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
var _valid1 = _errs69 === errors;
if(_valid1 && valid6){
valid6 = false;
passing1 = [passing1, 1];
}
else {
if(_valid1){
valid6 = true;
passing1 = 1;
}
}
if(!valid6){
const err27 = {instancePath:instancePath+"/mandate",schemaPath:"#/properties/mandate/oneOf",keyword:"oneOf",params:{passingSchemas: passing1},message:"must match exactly one schema in oneOf"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
validate21.errors = vErrors;
return false;
}
else {
errors = _errs53;
if(vErrors !== null){
if(_errs53){
vErrors.length = _errs53;
}
else {
vErrors = null;
}
}
}
var valid0 = _errs52 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const validateStatusChange: Validator = validate22;
const schema33 = {"type":"object","required":["status"],"additionalProperties":false,"properties":{"status":{"enum":["active","suspended"]}}};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate22.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.status === undefined) && (missing0 = "status")){
validate22.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "status")){
validate22.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.status !== undefined){
let data0 = data.status;
if(!((data0 === "active") || (data0 === "suspended"))){
validate22.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/enum",keyword:"enum",params:{allowedValues: schema33.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
}
}
}
}
else {
validate22.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
