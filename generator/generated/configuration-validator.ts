// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.
// @ts-nocheck

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
export const validateConfiguration: Validator = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"The configuration of an operator, registry.yaml","description":"Options that an operator would otherwise repeat on the command line. Paths are relative to this file. Options on the command line take precedence.","type":"object","additionalProperties":false,"properties":{"base_url":{"description":"the URL where the tree is published, such as https://registry.example","type":"string","pattern":"^https?://[^\\s/?#]+(/[^\\s?#]*)?$"},"root_key":{"description":"the file of the public JWK that the signing key must match","type":"string","minLength":1},"precompress":{"description":"whether builds also publish issuers.json.gz and issuers.json.br","type":"boolean"},"signer":{"$ref":"#/$defs/signer"},"checkpoint":{"description":"the online key and the validity of checkpoints","type":"object","additionalProperties":false,"properties":{"hours":{"description":"for how many hours a checkpoint is valid, 1 to 99999","type":"integer","minimum":1,"maximum":99999},"signer":{"$ref":"#/$defs/signer"},"public_key":{"description":"the file of the online key's public JWK, needed with a command","type":"string","minLength":1}}},"delegation":{"description":"the validity of delegations","type":"object","additionalProperties":false,"properties":{"days":{"description":"for how many days a delegation is valid, 1 to 99999","type":"integer","minimum":1,"maximum":99999}}},"transitions":{"description":"exceptions to the rules for changes of a record","type":"object","additionalProperties":false,"properties":{"overrides":{"description":"a list of exceptions, each to one rule for one issuer","type":"array","items":{"type":"object","additionalProperties":false,"required":["issuer_id","rule","reason"],"properties":{"issuer_id":{"description":"the issuer","type":"string","minLength":1},"rule":{"description":"the rule that does not apply to the issuer","enum":["record-removed","revoked-is-final","certified-since-changed"]},"reason":{"description":"why, in a sentence","type":"string","minLength":1}}}}}}},"$defs":{"signer":{"description":"what signs: a key or a command","type":"object","additionalProperties":false,"properties":{"key":{"description":"the file of a private key, or env:NAME","type":"string","minLength":1},"passphrase_file":{"description":"the file with the passphrase of an encrypted key","type":"string","minLength":1},"command":{"description":"a command that signs","type":"string","minLength":1},"input":{"description":"payload or digest","enum":["payload","digest"]},"timeout":{"description":"how long the command may take, in seconds, 1 to 99999","type":"integer","minimum":1,"maximum":99999}}}}};
const schema32 = {"description":"what signs: a key or a command","type":"object","additionalProperties":false,"properties":{"key":{"description":"the file of a private key, or env:NAME","type":"string","minLength":1},"passphrase_file":{"description":"the file with the passphrase of an encrypted key","type":"string","minLength":1},"command":{"description":"a command that signs","type":"string","minLength":1},"input":{"description":"payload or digest","enum":["payload","digest"]},"timeout":{"description":"how long the command may take, in seconds, 1 to 99999","type":"integer","minimum":1,"maximum":99999}}};
const pattern4 = new RegExp("^https?://[^\\s/?#]+(/[^\\s?#]*)?$", "u");
const func1 = (text) => [...text].length;

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
for(const key0 in data){
if(!(((((((key0 === "base_url") || (key0 === "root_key")) || (key0 === "precompress")) || (key0 === "signer")) || (key0 === "checkpoint")) || (key0 === "delegation")) || (key0 === "transitions"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema31,data};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.base_url !== undefined){
let data0 = data.base_url;
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
const err1 = {instancePath:instancePath+"/base_url",schemaPath:"#/properties/base_url/pattern",keyword:"pattern",params:{pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*)?$"},message:"must match pattern \""+"^https?://[^\\s/?#]+(/[^\\s?#]*)?$"+"\"",schema:"^https?://[^\\s/?#]+(/[^\\s?#]*)?$",parentSchema:schema31.properties.base_url,data:data0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
else {
const err2 = {instancePath:instancePath+"/base_url",schemaPath:"#/properties/base_url/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema31.properties.base_url.type,parentSchema:schema31.properties.base_url,data:data0};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.root_key !== undefined){
let data1 = data.root_key;
if(typeof data1 === "string"){
if(func1(data1) < 1){
const err3 = {instancePath:instancePath+"/root_key",schemaPath:"#/properties/root_key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema31.properties.root_key,data:data1};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/root_key",schemaPath:"#/properties/root_key/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema31.properties.root_key.type,parentSchema:schema31.properties.root_key,data:data1};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.precompress !== undefined){
let data2 = data.precompress;
if(typeof data2 !== "boolean"){
const err5 = {instancePath:instancePath+"/precompress",schemaPath:"#/properties/precompress/type",keyword:"type",params:{type: "boolean"},message:"must be boolean",schema:schema31.properties.precompress.type,parentSchema:schema31.properties.precompress,data:data2};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.signer !== undefined){
let data3 = data.signer;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((((key1 === "key") || (key1 === "passphrase_file")) || (key1 === "command")) || (key1 === "input")) || (key1 === "timeout"))){
const err6 = {instancePath:instancePath+"/signer",schemaPath:"#/$defs/signer/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties",schema:false,parentSchema:schema32,data:data3};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data3.key !== undefined){
let data4 = data3.key;
if(typeof data4 === "string"){
if(func1(data4) < 1){
const err7 = {instancePath:instancePath+"/signer/key",schemaPath:"#/$defs/signer/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.key,data:data4};
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
const err8 = {instancePath:instancePath+"/signer/key",schemaPath:"#/$defs/signer/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.key.type,parentSchema:schema32.properties.key,data:data4};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data3.passphrase_file !== undefined){
let data5 = data3.passphrase_file;
if(typeof data5 === "string"){
if(func1(data5) < 1){
const err9 = {instancePath:instancePath+"/signer/passphrase_file",schemaPath:"#/$defs/signer/properties/passphrase_file/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.passphrase_file,data:data5};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
else {
const err10 = {instancePath:instancePath+"/signer/passphrase_file",schemaPath:"#/$defs/signer/properties/passphrase_file/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.passphrase_file.type,parentSchema:schema32.properties.passphrase_file,data:data5};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.command !== undefined){
let data6 = data3.command;
if(typeof data6 === "string"){
if(func1(data6) < 1){
const err11 = {instancePath:instancePath+"/signer/command",schemaPath:"#/$defs/signer/properties/command/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.command,data:data6};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
else {
const err12 = {instancePath:instancePath+"/signer/command",schemaPath:"#/$defs/signer/properties/command/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.command.type,parentSchema:schema32.properties.command,data:data6};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.input !== undefined){
let data7 = data3.input;
if(!((data7 === "payload") || (data7 === "digest"))){
const err13 = {instancePath:instancePath+"/signer/input",schemaPath:"#/$defs/signer/properties/input/enum",keyword:"enum",params:{allowedValues: schema32.properties.input.enum},message:"must be equal to one of the allowed values",schema:schema32.properties.input.enum,parentSchema:schema32.properties.input,data:data7};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data3.timeout !== undefined){
let data8 = data3.timeout;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
const err14 = {instancePath:instancePath+"/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema32.properties.timeout.type,parentSchema:schema32.properties.timeout,data:data8};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 99999 || isNaN(data8)){
const err15 = {instancePath:instancePath+"/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/maximum",keyword:"maximum",params:{comparison: "<=", limit: 99999},message:"must be <= 99999",schema:99999,parentSchema:schema32.properties.timeout,data:data8};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data8 < 1 || isNaN(data8)){
const err16 = {instancePath:instancePath+"/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1",schema:1,parentSchema:schema32.properties.timeout,data:data8};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
}
else {
const err17 = {instancePath:instancePath+"/signer",schemaPath:"#/$defs/signer/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema32.type,parentSchema:schema32,data:data3};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data.checkpoint !== undefined){
let data9 = data.checkpoint;
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
for(const key2 in data9){
if(!(((key2 === "hours") || (key2 === "signer")) || (key2 === "public_key"))){
const err18 = {instancePath:instancePath+"/checkpoint",schemaPath:"#/properties/checkpoint/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties",schema:false,parentSchema:schema31.properties.checkpoint,data:data9};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data9.hours !== undefined){
let data10 = data9.hours;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err19 = {instancePath:instancePath+"/checkpoint/hours",schemaPath:"#/properties/checkpoint/properties/hours/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema31.properties.checkpoint.properties.hours.type,parentSchema:schema31.properties.checkpoint.properties.hours,data:data10};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 99999 || isNaN(data10)){
const err20 = {instancePath:instancePath+"/checkpoint/hours",schemaPath:"#/properties/checkpoint/properties/hours/maximum",keyword:"maximum",params:{comparison: "<=", limit: 99999},message:"must be <= 99999",schema:99999,parentSchema:schema31.properties.checkpoint.properties.hours,data:data10};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data10 < 1 || isNaN(data10)){
const err21 = {instancePath:instancePath+"/checkpoint/hours",schemaPath:"#/properties/checkpoint/properties/hours/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1",schema:1,parentSchema:schema31.properties.checkpoint.properties.hours,data:data10};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
if(data9.signer !== undefined){
let data11 = data9.signer;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key3 in data11){
if(!(((((key3 === "key") || (key3 === "passphrase_file")) || (key3 === "command")) || (key3 === "input")) || (key3 === "timeout"))){
const err22 = {instancePath:instancePath+"/checkpoint/signer",schemaPath:"#/$defs/signer/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties",schema:false,parentSchema:schema32,data:data11};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data11.key !== undefined){
let data12 = data11.key;
if(typeof data12 === "string"){
if(func1(data12) < 1){
const err23 = {instancePath:instancePath+"/checkpoint/signer/key",schemaPath:"#/$defs/signer/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.key,data:data12};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
else {
const err24 = {instancePath:instancePath+"/checkpoint/signer/key",schemaPath:"#/$defs/signer/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.key.type,parentSchema:schema32.properties.key,data:data12};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data11.passphrase_file !== undefined){
let data13 = data11.passphrase_file;
if(typeof data13 === "string"){
if(func1(data13) < 1){
const err25 = {instancePath:instancePath+"/checkpoint/signer/passphrase_file",schemaPath:"#/$defs/signer/properties/passphrase_file/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.passphrase_file,data:data13};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
else {
const err26 = {instancePath:instancePath+"/checkpoint/signer/passphrase_file",schemaPath:"#/$defs/signer/properties/passphrase_file/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.passphrase_file.type,parentSchema:schema32.properties.passphrase_file,data:data13};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data11.command !== undefined){
let data14 = data11.command;
if(typeof data14 === "string"){
if(func1(data14) < 1){
const err27 = {instancePath:instancePath+"/checkpoint/signer/command",schemaPath:"#/$defs/signer/properties/command/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema32.properties.command,data:data14};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
else {
const err28 = {instancePath:instancePath+"/checkpoint/signer/command",schemaPath:"#/$defs/signer/properties/command/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema32.properties.command.type,parentSchema:schema32.properties.command,data:data14};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data11.input !== undefined){
let data15 = data11.input;
if(!((data15 === "payload") || (data15 === "digest"))){
const err29 = {instancePath:instancePath+"/checkpoint/signer/input",schemaPath:"#/$defs/signer/properties/input/enum",keyword:"enum",params:{allowedValues: schema32.properties.input.enum},message:"must be equal to one of the allowed values",schema:schema32.properties.input.enum,parentSchema:schema32.properties.input,data:data15};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
if(data11.timeout !== undefined){
let data16 = data11.timeout;
if(!(((typeof data16 == "number") && (!(data16 % 1) && !isNaN(data16))) && (isFinite(data16)))){
const err30 = {instancePath:instancePath+"/checkpoint/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema32.properties.timeout.type,parentSchema:schema32.properties.timeout,data:data16};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if((typeof data16 == "number") && (isFinite(data16))){
if(data16 > 99999 || isNaN(data16)){
const err31 = {instancePath:instancePath+"/checkpoint/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/maximum",keyword:"maximum",params:{comparison: "<=", limit: 99999},message:"must be <= 99999",schema:99999,parentSchema:schema32.properties.timeout,data:data16};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(data16 < 1 || isNaN(data16)){
const err32 = {instancePath:instancePath+"/checkpoint/signer/timeout",schemaPath:"#/$defs/signer/properties/timeout/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1",schema:1,parentSchema:schema32.properties.timeout,data:data16};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
}
}
else {
const err33 = {instancePath:instancePath+"/checkpoint/signer",schemaPath:"#/$defs/signer/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema32.type,parentSchema:schema32,data:data11};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data9.public_key !== undefined){
let data17 = data9.public_key;
if(typeof data17 === "string"){
if(func1(data17) < 1){
const err34 = {instancePath:instancePath+"/checkpoint/public_key",schemaPath:"#/properties/checkpoint/properties/public_key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema31.properties.checkpoint.properties.public_key,data:data17};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
else {
const err35 = {instancePath:instancePath+"/checkpoint/public_key",schemaPath:"#/properties/checkpoint/properties/public_key/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema31.properties.checkpoint.properties.public_key.type,parentSchema:schema31.properties.checkpoint.properties.public_key,data:data17};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
else {
const err36 = {instancePath:instancePath+"/checkpoint",schemaPath:"#/properties/checkpoint/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema31.properties.checkpoint.type,parentSchema:schema31.properties.checkpoint,data:data9};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data.delegation !== undefined){
let data18 = data.delegation;
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
for(const key4 in data18){
if(!(key4 === "days")){
const err37 = {instancePath:instancePath+"/delegation",schemaPath:"#/properties/delegation/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties",schema:false,parentSchema:schema31.properties.delegation,data:data18};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data18.days !== undefined){
let data19 = data18.days;
if(!(((typeof data19 == "number") && (!(data19 % 1) && !isNaN(data19))) && (isFinite(data19)))){
const err38 = {instancePath:instancePath+"/delegation/days",schemaPath:"#/properties/delegation/properties/days/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema31.properties.delegation.properties.days.type,parentSchema:schema31.properties.delegation.properties.days,data:data19};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if((typeof data19 == "number") && (isFinite(data19))){
if(data19 > 99999 || isNaN(data19)){
const err39 = {instancePath:instancePath+"/delegation/days",schemaPath:"#/properties/delegation/properties/days/maximum",keyword:"maximum",params:{comparison: "<=", limit: 99999},message:"must be <= 99999",schema:99999,parentSchema:schema31.properties.delegation.properties.days,data:data19};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
if(data19 < 1 || isNaN(data19)){
const err40 = {instancePath:instancePath+"/delegation/days",schemaPath:"#/properties/delegation/properties/days/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1",schema:1,parentSchema:schema31.properties.delegation.properties.days,data:data19};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
}
}
else {
const err41 = {instancePath:instancePath+"/delegation",schemaPath:"#/properties/delegation/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema31.properties.delegation.type,parentSchema:schema31.properties.delegation,data:data18};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
if(data.transitions !== undefined){
let data20 = data.transitions;
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
for(const key5 in data20){
if(!(key5 === "overrides")){
const err42 = {instancePath:instancePath+"/transitions",schemaPath:"#/properties/transitions/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties",schema:false,parentSchema:schema31.properties.transitions,data:data20};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data20.overrides !== undefined){
let data21 = data20.overrides;
if(Array.isArray(data21)){
const len0 = data21.length;
for(let i0=0; i0<len0; i0++){
let data22 = data21[i0];
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(data22.issuer_id === undefined){
const err43 = {instancePath:instancePath+"/transitions/overrides/" + i0,schemaPath:"#/properties/transitions/properties/overrides/items/required",keyword:"required",params:{missingProperty: "issuer_id"},message:"must have required property '"+"issuer_id"+"'",schema:schema31.properties.transitions.properties.overrides.items.required,parentSchema:schema31.properties.transitions.properties.overrides.items,data:data22};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
if(data22.rule === undefined){
const err44 = {instancePath:instancePath+"/transitions/overrides/" + i0,schemaPath:"#/properties/transitions/properties/overrides/items/required",keyword:"required",params:{missingProperty: "rule"},message:"must have required property '"+"rule"+"'",schema:schema31.properties.transitions.properties.overrides.items.required,parentSchema:schema31.properties.transitions.properties.overrides.items,data:data22};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(data22.reason === undefined){
const err45 = {instancePath:instancePath+"/transitions/overrides/" + i0,schemaPath:"#/properties/transitions/properties/overrides/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'",schema:schema31.properties.transitions.properties.overrides.items.required,parentSchema:schema31.properties.transitions.properties.overrides.items,data:data22};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
for(const key6 in data22){
if(!(((key6 === "issuer_id") || (key6 === "rule")) || (key6 === "reason"))){
const err46 = {instancePath:instancePath+"/transitions/overrides/" + i0,schemaPath:"#/properties/transitions/properties/overrides/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties",schema:false,parentSchema:schema31.properties.transitions.properties.overrides.items,data:data22};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data22.issuer_id !== undefined){
let data23 = data22.issuer_id;
if(typeof data23 === "string"){
if(func1(data23) < 1){
const err47 = {instancePath:instancePath+"/transitions/overrides/" + i0+"/issuer_id",schemaPath:"#/properties/transitions/properties/overrides/items/properties/issuer_id/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema31.properties.transitions.properties.overrides.items.properties.issuer_id,data:data23};
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
const err48 = {instancePath:instancePath+"/transitions/overrides/" + i0+"/issuer_id",schemaPath:"#/properties/transitions/properties/overrides/items/properties/issuer_id/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema31.properties.transitions.properties.overrides.items.properties.issuer_id.type,parentSchema:schema31.properties.transitions.properties.overrides.items.properties.issuer_id,data:data23};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
if(data22.rule !== undefined){
let data24 = data22.rule;
if(!(((data24 === "record-removed") || (data24 === "revoked-is-final")) || (data24 === "certified-since-changed"))){
const err49 = {instancePath:instancePath+"/transitions/overrides/" + i0+"/rule",schemaPath:"#/properties/transitions/properties/overrides/items/properties/rule/enum",keyword:"enum",params:{allowedValues: schema31.properties.transitions.properties.overrides.items.properties.rule.enum},message:"must be equal to one of the allowed values",schema:schema31.properties.transitions.properties.overrides.items.properties.rule.enum,parentSchema:schema31.properties.transitions.properties.overrides.items.properties.rule,data:data24};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data22.reason !== undefined){
let data25 = data22.reason;
if(typeof data25 === "string"){
if(func1(data25) < 1){
const err50 = {instancePath:instancePath+"/transitions/overrides/" + i0+"/reason",schemaPath:"#/properties/transitions/properties/overrides/items/properties/reason/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema31.properties.transitions.properties.overrides.items.properties.reason,data:data25};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
else {
const err51 = {instancePath:instancePath+"/transitions/overrides/" + i0+"/reason",schemaPath:"#/properties/transitions/properties/overrides/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema31.properties.transitions.properties.overrides.items.properties.reason.type,parentSchema:schema31.properties.transitions.properties.overrides.items.properties.reason,data:data25};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
else {
const err52 = {instancePath:instancePath+"/transitions/overrides/" + i0,schemaPath:"#/properties/transitions/properties/overrides/items/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema31.properties.transitions.properties.overrides.items.type,parentSchema:schema31.properties.transitions.properties.overrides.items,data:data22};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath:instancePath+"/transitions/overrides",schemaPath:"#/properties/transitions/properties/overrides/type",keyword:"type",params:{type: "array"},message:"must be array",schema:schema31.properties.transitions.properties.overrides.type,parentSchema:schema31.properties.transitions.properties.overrides,data:data21};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/transitions",schemaPath:"#/properties/transitions/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema31.properties.transitions.type,parentSchema:schema31.properties.transitions,data:data20};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema31.type,parentSchema:schema31,data};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
