// Vitrine's renderer for web pages.
const layouts = {
AdapterInfo: "60;vendor 4 text,architecture 12 text,device 20 text,description 28 text,backendType 36 =BackendType,adapterType 40 =AdapterType,vendorID 44 u32,deviceID 48 u32,subgroupMinSize 52 u32,subgroupMaxSize 56 u32",
BindGroupDescriptor: "24;label 4 text,layout 12 @,entries 16 [].BindGroupEntry",
BindGroupEntry: "40;binding 4 u32,buffer 8 @,offset 16 u64,size 24 u64,sampler 32 @,textureView 36 @",
BindGroupLayoutDescriptor: "20;label 4 text,entries 12 [].BindGroupLayoutEntry",
BindGroupLayoutEntry: "88;binding 4 u32,visibility 8 u64,bindingArraySize 16 u32,buffer 24 .BufferBindingLayout,sampler 48 .SamplerBindingLayout,texture 56 .TextureBindingLayout,storageTexture 72 .StorageTextureBindingLayout",
BlendComponent: "12;operation 0 =BlendOperation,srcFactor 4 =BlendFactor,dstFactor 8 =BlendFactor",
BlendState: "24;color 0 .BlendComponent,alpha 12 .BlendComponent",
BufferBindingLayout: "24;type 4 ?BufferBindingType,hasDynamicOffset 8 bool,minBindingSize 16 u64",
BufferDescriptor: "40;label 4 text,usage 16 u64,size 24 u64,mappedAtCreation 32 bool",
Color: "32;r 0 f64,g 8 f64,b 16 f64,a 24 f64",
ColorTargetState: "24;format 4 =TextureFormat,blend 8 *BlendState,writeMask 16 u64",
CommandEncoderDescriptor: "12;label 4 text",
ComputePassDescriptor: "16;label 4 text,timestampWrites 12 *PassTimestampWrites",
ComputePipelineDescriptor: "40;label 4 text,layout 12 @,compute 16 .ComputeState",
ComputeState: "24;module 4 @,entryPoint 8 text,constants 16 [].ConstantEntry",
ConstantEntry: "24;key 4 text,value 16 f64",
DepthStencilState: "68;format 4 =TextureFormat,depthWriteEnabled 8 maybe,depthCompare 12 =CompareFunction,stencilFront 16 .StencilFaceState,stencilBack 32 .StencilFaceState,stencilReadMask 48 u32,stencilWriteMask 52 u32,depthBias 56 i32,depthBiasSlopeScale 60 f32,depthBiasClamp 64 f32",
DeviceDescriptor: "72;label 4 text,requiredFeatures 12 []=FeatureName,requiredLimits 20 *Limits,defaultQueue 24 .QueueDescriptor,deviceLostCallbackInfo 36 .DeviceLostCallbackInfo,uncapturedErrorCallbackInfo 56 .UncapturedErrorCallbackInfo",
DeviceLostCallbackInfo: "20;mode 4 =CallbackMode,callback 8 u32,userdata1 12 u32,userdata2 16 u32",
Extent3D: "12;width 0 u32,height 4 u32,depthOrArrayLayers 8 u32",
FragmentState: "32;module 4 @,entryPoint 8 text,constants 16 [].ConstantEntry,targets 24 [].ColorTargetState",
Limits: "152;maxTextureDimension1D 4 u32,maxTextureDimension2D 8 u32,maxTextureDimension3D 12 u32,maxTextureArrayLayers 16 u32,maxBindGroups 20 u32,maxBindGroupsPlusVertexBuffers 24 u32,maxBindingsPerBindGroup 28 u32,maxDynamicUniformBuffersPerPipelineLayout 32 u32,maxDynamicStorageBuffersPerPipelineLayout 36 u32,maxSampledTexturesPerShaderStage 40 u32,maxSamplersPerShaderStage 44 u32,maxStorageBuffersPerShaderStage 48 u32,maxStorageTexturesPerShaderStage 52 u32,maxUniformBuffersPerShaderStage 56 u32,maxUniformBufferBindingSize 64 u64,maxStorageBufferBindingSize 72 u64,minUniformBufferOffsetAlignment 80 u32,minStorageBufferOffsetAlignment 84 u32,maxVertexBuffers 88 u32,maxBufferSize 96 u64,maxVertexAttributes 104 u32,maxVertexBufferArrayStride 108 u32,maxInterStageShaderVariables 112 u32,maxColorAttachments 116 u32,maxColorAttachmentBytesPerSample 120 u32,maxComputeWorkgroupStorageSize 124 u32,maxComputeInvocationsPerWorkgroup 128 u32,maxComputeWorkgroupSizeX 132 u32,maxComputeWorkgroupSizeY 136 u32,maxComputeWorkgroupSizeZ 140 u32,maxComputeWorkgroupsPerDimension 144 u32,maxImmediateSize 148 u32",
MultisampleState: "16;count 4 u32,mask 8 u32,alphaToCoverageEnabled 12 bool",
Origin3D: "12;x 0 u32,y 4 u32,z 8 u32",
PassTimestampWrites: "16;querySet 4 @,beginningOfPassWriteIndex 8 u32,endOfPassWriteIndex 12 u32",
PipelineLayoutDescriptor: "24;label 4 text,bindGroupLayouts 12 []@,immediateSize 20 u32",
PrimitiveState: "24;topology 4 =PrimitiveTopology,stripIndexFormat 8 =IndexFormat,frontFace 12 =FrontFace,cullMode 16 =CullMode,unclippedDepth 20 bool",
QuerySetDescriptor: "20;label 4 text,type 12 =QueryType,count 16 u32",
QueueDescriptor: "12;label 4 text",
RenderPassColorAttachment: "56;view 4 @,depthSlice 8 u32,resolveTarget 12 @,loadOp 16 =LoadOp,storeOp 20 =StoreOp,clearValue 24 .Color",
RenderPassDepthStencilAttachment: "40;view 4 @,depthLoadOp 8 =LoadOp,depthStoreOp 12 =StoreOp,depthClearValue 16 f32,depthReadOnly 20 bool,stencilLoadOp 24 =LoadOp,stencilStoreOp 28 =StoreOp,stencilClearValue 32 u32,stencilReadOnly 36 bool",
RenderPassDescriptor: "32;label 4 text,colorAttachments 12 [].RenderPassColorAttachment,depthStencilAttachment 20 *RenderPassDepthStencilAttachment,occlusionQuerySet 24 @,timestampWrites 28 *PassTimestampWrites",
RenderPipelineDescriptor: "96;label 4 text,layout 12 @,vertex 16 .VertexState,primitive 48 .PrimitiveState,depthStencil 72 *DepthStencilState,multisample 76 .MultisampleState,fragment 92 *FragmentState",
RequestDeviceCallbackInfo: "20;mode 4 =CallbackMode,callback 8 u32,userdata1 12 u32,userdata2 16 u32",
SamplerBindingLayout: "8;type 4 ?SamplerBindingType",
SamplerDescriptor: "52;label 4 text,addressModeU 12 =AddressMode,addressModeV 16 =AddressMode,addressModeW 20 =AddressMode,magFilter 24 =FilterMode,minFilter 28 =FilterMode,mipmapFilter 32 =MipmapFilterMode,lodMinClamp 36 f32,lodMaxClamp 40 f32,compare 44 =CompareFunction,maxAnisotropy 48 u16",
ShaderModuleDescriptor: "12;label 4 text",
ShaderSourceWGSL: "16;code 8 text",
StencilFaceState: "16;compare 0 =CompareFunction,failOp 4 =StencilOperation,depthFailOp 8 =StencilOperation,passOp 12 =StencilOperation",
StorageTextureBindingLayout: "16;access 4 ?StorageTextureAccess,format 8 =TextureFormat,viewDimension 12 =TextureViewDimension",
SupportedFeatures: "8;features 0 []=FeatureName",
TexelCopyBufferInfo: "24;layout 0 .TexelCopyBufferLayout,buffer 16 @",
TexelCopyBufferLayout: "16;offset 0 u64,bytesPerRow 8 u32,rowsPerImage 12 u32",
TexelCopyTextureInfo: "24;texture 0 @,mipLevel 4 u32,origin 8 .Origin3D,aspect 20 =TextureAspect",
TextureBindingLayout: "16;sampleType 4 ?TextureSampleType,viewDimension 8 =TextureViewDimension,multisampled 12 bool",
TextureDescriptor: "64;label 4 text,usage 16 u64,dimension 24 =TextureDimension,size 28 .Extent3D,format 40 =TextureFormat,mipLevelCount 44 u32,sampleCount 48 u32,viewFormats 52 []=TextureFormat",
TextureViewDescriptor: "48;label 4 text,format 12 =TextureFormat,dimension 16 =TextureViewDimension,baseMipLevel 20 u32,mipLevelCount 24 u32,baseArrayLayer 28 u32,arrayLayerCount 32 u32,aspect 36 =TextureAspect,usage 40 u64",
UncapturedErrorCallbackInfo: "16;callback 4 u32,userdata1 8 u32,userdata2 12 u32",
VertexAttribute: "24;format 4 =VertexFormat,offset 8 u64,shaderLocation 16 u32",
VertexBufferLayout: "24;stepMode 4 =VertexStepMode,arrayStride 8 u64,attributes 16 [].VertexAttribute",
VertexState: "32;module 4 @,entryPoint 8 text,constants 16 [].ConstantEntry,buffers 24 [].VertexBufferLayout",
};
const enumerations = {
AdapterType: ",discrete-gpu,integrated-gpu,cpu,unknown",
AddressMode: ",clamp-to-edge,repeat,mirror-repeat",
BackendType: ",null,web-gpu,d-3d-11,d-3d-12,metal,vulkan,open-gl,open-gles",
BlendFactor: ",zero,one,src,one-minus-src,src-alpha,one-minus-src-alpha,dst,one-minus-dst,dst-alpha,one-minus-dst-alpha,src-alpha-saturated,constant,one-minus-constant,src1,one-minus-src1,src1-alpha,one-minus-src1-alpha",
BlendOperation: ",add,subtract,reverse-subtract,min,max",
BufferBindingType: ",,uniform,storage,read-only-storage",
CallbackMode: ",wait-any-only,allow-process-events,allow-spontaneous",
CompareFunction: ",never,less,equal,less-equal,greater,not-equal,greater-equal,always",
CullMode: ",none,front,back",
FeatureName: ",core-features-and-limits,depth-clip-control,depth32float-stencil8,texture-compression-bc,texture-compression-bc-sliced-3d,texture-compression-etc2,texture-compression-astc,texture-compression-astc-sliced-3d,timestamp-query,indirect-first-instance,shader-f16,rg11b10ufloat-renderable,bgra8unorm-storage,float32-filterable,float32-blendable,clip-distances,dual-source-blending,subgroups,texture-formats-tier1,texture-formats-tier2,primitive-index,texture-component-swizzle",
FilterMode: ",nearest,linear",
FrontFace: ",ccw,cw",
IndexFormat: ",uint16,uint32",
LoadOp: ",load,clear",
MipmapFilterMode: ",nearest,linear",
PrimitiveTopology: ",point-list,line-list,line-strip,triangle-list,triangle-strip",
QueryType: ",occlusion,timestamp",
SamplerBindingType: ",,filtering,non-filtering,comparison",
StencilOperation: ",keep,zero,replace,invert,increment-clamp,decrement-clamp,increment-wrap,decrement-wrap",
StorageTextureAccess: ",,write-only,read-only,read-write",
StoreOp: ",store,discard",
TextureAspect: ",all,stencil-only,depth-only",
TextureDimension: ",1d,2d,3d",
TextureFormat: ",r8unorm,r8snorm,r8uint,r8sint,r16unorm,r16snorm,r16uint,r16sint,r16float,rg8unorm,rg8snorm,rg8uint,rg8sint,r32float,r32uint,r32sint,rg16unorm,rg16snorm,rg16uint,rg16sint,rg16float,rgba8unorm,rgba8unorm-srgb,rgba8snorm,rgba8uint,rgba8sint,bgra8unorm,bgra8unorm-srgb,rgb10a2uint,rgb10a2unorm,rg11b10ufloat,rgb9e5ufloat,rg32float,rg32uint,rg32sint,rgba16unorm,rgba16snorm,rgba16uint,rgba16sint,rgba16float,rgba32float,rgba32uint,rgba32sint,stencil8,depth16unorm,depth24plus,depth24plus-stencil8,depth32float,depth32float-stencil8,bc1-rgba-unorm,bc1-rgba-unorm-srgb,bc2-rgba-unorm,bc2-rgba-unorm-srgb,bc3-rgba-unorm,bc3-rgba-unorm-srgb,bc4-r-unorm,bc4-r-snorm,bc5-rg-unorm,bc5-rg-snorm,bc6h-rgb-ufloat,bc6h-rgb-float,bc7-rgba-unorm,bc7-rgba-unorm-srgb,etc2-rgb8unorm,etc2-rgb8unorm-srgb,etc2-rgb8a1unorm,etc2-rgb8a1unorm-srgb,etc2-rgba8unorm,etc2-rgba8unorm-srgb,eac-r11unorm,eac-r11snorm,eac-rg11unorm,eac-rg11snorm,astc-4x4-unorm,astc-4x4-unorm-srgb,astc-5x4-unorm,astc-5x4-unorm-srgb,astc-5x5-unorm,astc-5x5-unorm-srgb,astc-6x5-unorm,astc-6x5-unorm-srgb,astc-6x6-unorm,astc-6x6-unorm-srgb,astc-8x5-unorm,astc-8x5-unorm-srgb,astc-8x6-unorm,astc-8x6-unorm-srgb,astc-8x8-unorm,astc-8x8-unorm-srgb,astc-10x5-unorm,astc-10x5-unorm-srgb,astc-10x6-unorm,astc-10x6-unorm-srgb,astc-10x8-unorm,astc-10x8-unorm-srgb,astc-10x10-unorm,astc-10x10-unorm-srgb,astc-12x10-unorm,astc-12x10-unorm-srgb,astc-12x12-unorm,astc-12x12-unorm-srgb",
TextureSampleType: ",,float,unfilterable-float,depth,sint,uint",
TextureViewDimension: ",1d,2d,2d-array,cube,cube-array,3d",
VertexFormat: ",uint8,uint8x2,uint8x4,sint8,sint8x2,sint8x4,unorm8,unorm8x2,unorm8x4,snorm8,snorm8x2,snorm8x4,uint16,uint16x2,uint16x4,sint16,sint16x2,sint16x4,unorm16,unorm16x2,unorm16x4,snorm16,snorm16x2,snorm16x4,float16,float16x2,float16x4,float32,float32x2,float32x3,float32x4,uint32,uint32x2,uint32x3,uint32x4,sint32,sint32x2,sint32x3,sint32x4,unorm10-10-10-2,unorm8x4-bgra",
VertexStepMode: ",vertex,instance",
};
const structures = {};
for (const [name, text] of Object.entries(layouts)) {
const [size, fields] = text.split(";");
structures[name] = {
size: +size,
fields: fields.split(",").map((field) => {
const [key, offset, kind] = field.split(" ");
const mark = /^(\[\]|[=?.*])(.*)/.exec(kind);
return mark ? [key, +offset, mark[1], mark[2]] : [key, +offset, kind];
}),
};
}
const names = {};
for (const [name, text] of Object.entries(enumerations)) names[name] = text.split(",");
const decoder = new TextDecoder();
const encoder = new TextEncoder();
class WasmMemory {
constructor(memory) {
this.memory = memory;
}
exports = null;
#buffer = null;
#refresh() {
this.#buffer = this.memory.buffer;
this.bytes = new Uint8Array(this.#buffer);
this.view = new DataView(this.#buffer);
}
get current() {
if (this.#buffer !== this.memory.buffer) this.#refresh();
return this;
}
slice(pointer, count) {
return this.current.bytes.subarray(pointer >>> 0, (pointer >>> 0) + count);
}
text(pointer, count) {
if (count === -1) {
const { bytes } = this.current;
count = bytes.indexOf(0, pointer >>> 0) - (pointer >>> 0);
}
return decoder.decode(this.slice(pointer, count));
}
allocate(count) {
const pointer = this.exports.vitrine_allocate(count) >>> 0;
if (!pointer) throw new RangeError("out of memory");
return pointer;
}
withText(text, call) {
const bytes = encoder.encode(text);
const pointer = this.allocate(bytes.length + 1);
this.slice(pointer, bytes.length).set(bytes);
try {
return call(pointer, bytes.length);
} finally {
this.exports.vitrine_free(pointer);
}
}
}
function makeWebGPU(memory, adapter, device, report) {
const objects = [null];
const unused = [];
const images = new Map();
let doomed = [];
let recordings = 0;
let shaderFailed = false;
let lossCallback = null;
let errorCallback = null;
function add(object, kind, dependencies) {
const entry = { object, kind, count: 1, dependencies };
if (dependencies) for (const handle of dependencies) objects[handle].count++;
if (kind === "recording") recordings++;
const handle = unused.length ? unused.pop() : objects.length;
objects[handle] = entry;
return handle;
}
function release(handle) {
const entry = objects[handle];
if (--entry.count > 0) return;
objects[handle] = null;
unused.push(handle);
if (entry.kind === "memory") doomed.push(entry.object);
if (entry.kind === "recording") recordings--;
if (entry.dependencies) entry.dependencies.forEach(release);
if (recordings === 0 && doomed.length) {
for (const object of doomed) object.destroy();
doomed = [];
}
}
const of = (handle) => objects[handle].object;
function read(name, pointer, handles) {
pointer >>>= 0;
const { view } = memory.current;
const result = {};
for (const [key, offset, kind, argument] of structures[name].fields) {
const at = pointer + offset;
let value;
switch (kind) {
case "?":
value = view.getUint32(at, true);
if (value === 0) return undefined;
value = names[argument][value] || undefined;
break;
case "=":
value = names[argument][view.getUint32(at, true)] || undefined;
break;
case ".":
value = read(argument, at, handles);
break;
case "*": {
const target = view.getUint32(at, true);
if (target) value = read(argument, target, handles);
break;
}
case "[]":
value = readArray(argument, view.getUint32(at, true), view.getUint32(at + 4, true), handles);
break;
default:
value = readValue(kind, at, handles);
}
if (value !== undefined) result[key] = value;
}
return result;
}
function readValue(kind, at, handles) {
const { view } = memory.current;
switch (kind) {
case "u32": {
const value = view.getUint32(at, true);
return value === 0xffffffff ? undefined : value;
}
case "i32": return view.getInt32(at, true);
case "u16": return view.getUint16(at, true);
case "f32": {
const value = view.getFloat32(at, true);
return Number.isNaN(value) ? undefined : value;
}
case "f64": return view.getFloat64(at, true);
case "u64": {
const high = view.getUint32(at + 4, true);
return high === 0xffffffff ? undefined : high * 4294967296 + view.getUint32(at, true);
}
case "bool": return view.getUint32(at, true) !== 0;
case "maybe": {
const value = view.getUint32(at, true);
return value === 2 ? undefined : value !== 0;
}
case "text": {
const start = view.getUint32(at, true);
return start ? memory.text(start, view.getInt32(at + 4, true)) : undefined;
}
case "@": {
const handle = view.getUint32(at, true);
if (!handle) return undefined;
handles?.push(handle);
return of(handle);
}
}
}
function readArray(kind, count, start, handles) {
const result = [];
const structure = kind[0] === "." && structures[kind.slice(1)];
for (let index = 0; index < count; index++) {
if (structure) result.push(read(kind.slice(1), start + index * structure.size, handles) ?? null);
else if (kind[0] === "=") result.push(names[kind.slice(1)][memory.current.view.getUint32(start + index * 4, true)]);
else result.push(readValue(kind, start + index * 4, handles));
}
return result;
}
function write(name, pointer, values) {
pointer >>>= 0;
for (const [key, offset, kind] of structures[name].fields) {
const value = values[key];
if (value === undefined) continue;
const { view } = memory.current;
if (kind === "u64") view.setBigUint64(pointer + offset, BigInt(value), true);
else if (kind === "text") {
const bytes = encoder.encode(value);
const start = memory.allocate(bytes.length + 1);
memory.slice(start, bytes.length).set(bytes);
memory.current.view.setUint32(pointer + offset, start, true);
memory.current.view.setUint32(pointer + offset + 4, bytes.length, true);
} else view.setUint32(pointer + offset, value, true);
}
}
const label = (pointer) => ({ label: memory.text(memory.current.view.getUint32(pointer + 4, true), memory.current.view.getInt32(pointer + 8, true)) });
const whole = (value) => (value === -1n ? undefined : Number(value));
const buffered = (pointer) => {
const { layout, buffer } = read("TexelCopyBufferInfo", pointer);
return { buffer, ...layout };
};
function call(callback, type, text) {
if (!callback) return;
memory.withText(text, (start, count) => {
const structure = memory.allocate(12);
const { view } = memory.current;
view.setUint32(structure, start, true);
view.setUint32(structure + 4, count, true);
memory.exports.__indirect_function_table.get(callback.callback)(0, type, structure, callback.userdata1, callback.userdata2);
memory.exports.vitrine_free(structure);
});
}
function error(type, text) {
report(text);
try {
call(errorCallback, type, text);
} catch {
}
}
const errorType = (error) => (error instanceof GPUOutOfMemoryError ? 3 : error instanceof GPUValidationError ? 2 : 4);
function onError(event) {
event.preventDefault();
const text = event.error.message;
if (shaderFailed && /\[Invalid /.test(text)) return;
error(errorType(event.error), text);
}
device.addEventListener("uncapturederror", onError);
async function checkShader(module, name, scope) {
if (!(await scope)) return;
shaderFailed = true;
const { messages } = await module.getCompilationInfo();
let text = `In wgpuDeviceCreateShaderModule, label = '${name}'\n`;
for (const message of messages) {
if (message.type === "error") text += `error: ${message.message}\n┌─ wgsl:${message.lineNum}:${message.linePos}\n`;
}
error(2, text);
}
const env = {
wgpuCreateInstance: () => add({}, "other"),
wgpuInstanceEnumerateAdapters(instance, options, result) {
if (result) memory.current.view.setUint32(result, add(adapter, "other"), true);
return 1;
},
wgpuInstanceProcessEvents() {},
wgpuAdapterGetInfo(handle, pointer) {
const info = adapter.info ?? {};
write("AdapterInfo", pointer, {
vendor: info.vendor || "", architecture: info.architecture || "", device: info.device || info.description || info.architecture || "GPU",
description: info.description || "", backendType: 2, adapterType: info.isFallbackAdapter ? 3 : 4, vendorID: 0, deviceID: 0,
});
return 1;
},
wgpuAdapterInfoFreeMembers(pointer) {
for (const [, offset, kind] of structures.AdapterInfo.fields) {
if (kind === "text") memory.exports.vitrine_free(memory.current.view.getUint32(pointer + offset, true));
}
},
wgpuAdapterGetLimits(handle, pointer) {
write("Limits", pointer, device.limits);
return 1;
},
wgpuAdapterGetFeatures(handle, pointer) {
const known = names.FeatureName.map((name, index) => (name && device.features.has(name) ? index : 0)).filter((index) => index);
const list = memory.allocate(known.length * 4 + 4);
const { view } = memory.current;
known.forEach((value, index) => view.setUint32(list + index * 4, value, true));
view.setUint32(pointer, known.length, true);
view.setUint32(pointer + 4, list, true);
},
wgpuSupportedFeaturesFreeMembers: (pointer) => memory.exports.vitrine_free(memory.current.view.getUint32(pointer + 4, true)),
wgpuAdapterRequestDevice(handle, pointer, callbackPointer) {
const descriptor = read("DeviceDescriptor", pointer);
lossCallback = descriptor.deviceLostCallbackInfo;
errorCallback = descriptor.uncapturedErrorCallbackInfo;
const info = read("RequestDeviceCallbackInfo", callbackPointer);
const message = memory.allocate(8);
memory.slice(message, 8).fill(0);
memory.exports.__indirect_function_table.get(info.callback)(1, add(device, "other"), message, info.userdata1, info.userdata2);
memory.exports.vitrine_free(message);
return 0n;
},
wgpuDeviceGetQueue: () => add(device.queue, "other"),
wgpuDevicePoll: () => 1,
wgpuDeviceDestroy() {},
wgpuQueueGetTimestampPeriod: () => 1,
wgpuDeviceCreateBuffer: (handle, pointer) => add(device.createBuffer(read("BufferDescriptor", pointer)), "memory"),
vitrineBufferFill(handle, pointer, count) {
const buffer = of(handle);
new Uint8Array(buffer.getMappedRange()).set(memory.slice(pointer, count));
buffer.unmap();
},
wgpuDeviceCreateTexture: (handle, pointer) => add(device.createTexture(read("TextureDescriptor", pointer)), "memory"),
wgpuTextureCreateView: (handle, pointer) => add(of(handle).createView(read("TextureViewDescriptor", pointer)), "other", [handle]),
vitrineTextureCopyImage(handle, image) {
const source = images.get(image);
if (source) device.queue.copyExternalImageToTexture({ source }, { texture: of(handle) }, [source.width, source.height]);
},
wgpuTextureAddRef: (handle) => void objects[handle].count++,
wgpuDeviceCreateSampler: (handle, pointer) => add(device.createSampler(read("SamplerDescriptor", pointer)), "other"),
wgpuDeviceCreateQuerySet: (handle, pointer) => add(device.createQuerySet(read("QuerySetDescriptor", pointer)), "memory"),
wgpuDeviceCreateBindGroupLayout: (handle, pointer) => add(device.createBindGroupLayout(read("BindGroupLayoutDescriptor", pointer)), "other"),
wgpuDeviceCreatePipelineLayout: (handle, pointer) => add(device.createPipelineLayout(read("PipelineLayoutDescriptor", pointer)), "other"),
wgpuDeviceCreateBindGroup(handle, pointer) {
const handles = [];
const descriptor = read("BindGroupDescriptor", pointer, handles);
descriptor.entries = descriptor.entries.map(({ binding, buffer, offset, size, sampler, textureView }) => ({
binding, resource: buffer ? { buffer, offset, size } : sampler ?? textureView,
}));
return add(device.createBindGroup(descriptor), "other", handles);
},
wgpuDeviceCreateShaderModule(handle, pointer) {
const { code } = read("ShaderSourceWGSL", memory.current.view.getUint32(pointer, true));
const { label } = read("ShaderModuleDescriptor", pointer);
device.pushErrorScope("validation");
const module = device.createShaderModule({ label, code });
checkShader(module, label, device.popErrorScope()).catch(() => {});
return add(module, "other");
},
wgpuDeviceCreateComputePipeline(handle, pointer) {
const descriptor = read("ComputePipelineDescriptor", pointer);
return add(device.createComputePipeline({ layout: "auto", ...descriptor, compute: withConstants(descriptor.compute) }), "other");
},
wgpuDeviceCreateRenderPipeline(handle, pointer) {
const descriptor = read("RenderPipelineDescriptor", pointer);
descriptor.vertex = withConstants(descriptor.vertex);
if (descriptor.fragment) descriptor.fragment = withConstants(descriptor.fragment);
return add(device.createRenderPipeline({ layout: "auto", ...descriptor }), "other");
},
wgpuRenderPipelineGetBindGroupLayout: (handle, group) => add(of(handle).getBindGroupLayout(group), "other"),
wgpuComputePipelineGetBindGroupLayout: (handle, group) => add(of(handle).getBindGroupLayout(group), "other"),
wgpuDeviceCreateCommandEncoder: (handle, pointer) => add(device.createCommandEncoder(label(pointer)), "recording"),
wgpuCommandEncoderFinish: (handle) => add(of(handle).finish(), "recording"),
wgpuCommandEncoderBeginRenderPass: (handle, pointer) => add(of(handle).beginRenderPass(read("RenderPassDescriptor", pointer)), "other"),
wgpuCommandEncoderBeginComputePass: (handle, pointer) => add(of(handle).beginComputePass(pointer ? read("ComputePassDescriptor", pointer) : {}), "other"),
wgpuCommandEncoderCopyBufferToBuffer: (handle, source, from, target, to, size) =>
of(handle).copyBufferToBuffer(of(source), Number(from), of(target), Number(to), Number(size)),
wgpuCommandEncoderCopyBufferToTexture: (handle, source, target, size) =>
of(handle).copyBufferToTexture(buffered(source), read("TexelCopyTextureInfo", target), read("Extent3D", size)),
wgpuCommandEncoderCopyTextureToBuffer: (handle, source, target, size) =>
of(handle).copyTextureToBuffer(read("TexelCopyTextureInfo", source), buffered(target), read("Extent3D", size)),
wgpuCommandEncoderCopyTextureToTexture: (handle, source, target, size) =>
of(handle).copyTextureToTexture(read("TexelCopyTextureInfo", source), read("TexelCopyTextureInfo", target), read("Extent3D", size)),
wgpuCommandEncoderClearBuffer: (handle, buffer, offset, size) => of(handle).clearBuffer(of(buffer), Number(offset), whole(size)),
wgpuCommandEncoderResolveQuerySet: (handle, set, first, count, target, offset) =>
of(handle).resolveQuerySet(of(set), first, count, of(target), Number(offset)),
wgpuQueueSubmit(handle, count, list) {
const { view } = memory.current;
const commands = [];
for (let index = 0; index < count; index++) commands.push(of(view.getUint32((list >>> 0) + index * 4, true)));
of(handle).submit(commands);
},
wgpuQueueWriteBuffer: (handle, buffer, offset, pointer, size) =>
of(handle).writeBuffer(of(buffer), Number(offset), memory.memory.buffer, pointer >>> 0, size),
wgpuQueueWriteTexture: (handle, target, pointer, count, layout, size) =>
of(handle).writeTexture(
read("TexelCopyTextureInfo", target), memory.slice(pointer, count), read("TexelCopyBufferLayout", layout), read("Extent3D", size)),
wgpuRenderPassEncoderSetPipeline: (handle, pipeline) => of(handle).setPipeline(of(pipeline)),
wgpuRenderPassEncoderSetBindGroup: setBindGroup,
wgpuRenderPassEncoderSetVertexBuffer: (handle, slot, buffer, offset, size) =>
of(handle).setVertexBuffer(slot, buffer ? of(buffer) : null, Number(offset), whole(size)),
wgpuRenderPassEncoderSetIndexBuffer: (handle, buffer, format, offset, size) =>
of(handle).setIndexBuffer(of(buffer), names.IndexFormat[format], Number(offset), whole(size)),
wgpuRenderPassEncoderSetViewport: (handle, ...values) => of(handle).setViewport(...values),
wgpuRenderPassEncoderSetScissorRect: (handle, ...values) => of(handle).setScissorRect(...values),
wgpuRenderPassEncoderSetBlendConstant: (handle, color) => of(handle).setBlendConstant(read("Color", color)),
wgpuRenderPassEncoderSetStencilReference: (handle, value) => of(handle).setStencilReference(value),
wgpuRenderPassEncoderDraw: (handle, ...counts) => of(handle).draw(...counts),
wgpuRenderPassEncoderDrawIndexed: (handle, ...counts) => of(handle).drawIndexed(...counts),
wgpuRenderPassEncoderDrawIndirect: (handle, buffer, offset) => of(handle).drawIndirect(of(buffer), Number(offset)),
wgpuRenderPassEncoderDrawIndexedIndirect: (handle, buffer, offset) => of(handle).drawIndexedIndirect(of(buffer), Number(offset)),
wgpuRenderPassEncoderEnd: (handle) => of(handle).end(),
wgpuComputePassEncoderSetPipeline: (handle, pipeline) => of(handle).setPipeline(of(pipeline)),
wgpuComputePassEncoderSetBindGroup: setBindGroup,
wgpuComputePassEncoderDispatchWorkgroups: (handle, ...counts) => of(handle).dispatchWorkgroups(...counts),
wgpuComputePassEncoderDispatchWorkgroupsIndirect: (handle, buffer, offset) => of(handle).dispatchWorkgroupsIndirect(of(buffer), Number(offset)),
wgpuComputePassEncoderEnd: (handle) => of(handle).end(),
wgpuBufferUnmap: (handle) => of(handle).unmap(),
};
for (const kind of ["Instance", "Adapter", "Device", "Queue", "Buffer", "Texture", "TextureView", "Sampler", "QuerySet", "BindGroupLayout",
"PipelineLayout", "BindGroup", "ShaderModule", "ComputePipeline", "RenderPipeline", "CommandEncoder", "CommandBuffer", "RenderPassEncoder",
"ComputePassEncoder"]) env[`wgpu${kind}Release`] = release;
for (const kind of ["CommandEncoder", "RenderPassEncoder", "ComputePassEncoder"]) {
env[`wgpu${kind}PushDebugGroup`] = (handle, text) =>
of(handle).pushDebugGroup(memory.text(memory.current.view.getUint32(text, true), memory.current.view.getInt32(text + 4, true)));
env[`wgpu${kind}PopDebugGroup`] = (handle) => of(handle).popDebugGroup();
env[`wgpu${kind}InsertDebugMarker`] = () => {};
}
function setBindGroup(handle, index, group, count, offsets) {
if (!group) return of(handle).setBindGroup(index, null);
if (!count) return of(handle).setBindGroup(index, of(group));
of(handle).setBindGroup(index, of(group), new Uint32Array(memory.memory.buffer, offsets >>> 0, count), 0, count);
}
function withConstants(stage) {
return { ...stage, constants: Object.fromEntries(stage.constants.map(({ key, value }) => [key, value])) };
}
return {
env,
addCanvasTexture: (texture) => add(texture, "other"),
object: (handle) => of(handle),
images,
lose(message) {
try {
call(lossCallback, 1, message);
} catch {
}
},
get count() {
return objects.length - 1 - unused.length;
},
close: () => device.removeEventListener("uncapturederror", onError),
};
}
function mathematics() {
const imports = { fmod: (x, y) => x % y, exp2: (x) => 2 ** x, ldexp: (x, n) => x * 2 ** n };
for (const name of ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "pow", "cbrt", "hypot", "expm1", "log1p"]) {
imports[name] = Math[name];
}
for (const name of Object.keys(imports)) imports[`${name}f`] = imports[name];
return imports;
}
export class VitrineError extends Error {
constructor(code, message, options) {
super(message, options);
this.name = "VitrineError";
this.code = code;
}
}
let current = null;
let meshopt = null;
export function loadRuntime({ wasm, meshopt: address = null } = {}) {
meshopt ??= address;
current ??= Runtime.make(wasm).catch((error) => {
current = null;
throw error;
});
return current;
}
async function compile(source) {
source = await source;
try {
if (source instanceof WebAssembly.Module) return source;
if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return await WebAssembly.compile(source);
const response = source instanceof Response ? source : await fetch(source);
if (!response.ok) throw new Error(`the server answered ${response.status} for ${response.url}`);
return response.headers.get("Content-Type") === "application/wasm"
? await WebAssembly.compileStreaming(response)
: await WebAssembly.compile(await response.arrayBuffer());
} catch (error) {
throw new VitrineError("wasm", `The viewer's program could not be loaded: ${error.message}`, { cause: error });
}
}
async function requestAdapter() {
if (!globalThis.navigator?.gpu) {
throw new VitrineError("no-webgpu", globalThis.isSecureContext === false
? "WebGPU needs a page that was loaded over https or from this computer." : "This browser has no WebGPU.");
}
const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
if (!adapter) throw new VitrineError("no-adapter", "This browser has WebGPU, but found no GPU that it can use.");
return adapter;
}
class Runtime {
#module;
#adapter;
#session = null;
isLost = false;
static async make(wasm) {
const [module, adapter] = await Promise.all([compile(wasm), requestAdapter()]);
const runtime = new Runtime();
runtime.#module = module;
runtime.#adapter = adapter;
return runtime;
}
async createViewer(canvas, options = {}) {
if (this.isLost) throw new VitrineError("lost", "The GPU device was lost.");
this.#session ??= this.#open();
const opening = this.#session;
let session;
try {
session = await opening;
} catch (error) {
if (this.#session === opening) this.#session = null;
throw error;
}
return new Viewer(session, canvas, options);
}
async #open() {
const adapter = this.#adapter ?? (await requestAdapter());
this.#adapter = null;
const session = await Session.open(adapter, this.#module, {
onLost: () => {
this.isLost = true;
this.#session = null;
current = null;
},
onUnused: () => (this.#session = null),
});
this.#info = session;
return session;
}
#info = null;
get info() {
const session = this.#info;
const info = session?.adapter.info;
return {
adapter: info ? [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ") : "",
limits: session?.device.limits,
wasmBytes: session?.memory.memory.buffer.byteLength ?? 0,
usedBytes: session?.exports?.vitrine_used_bytes() ?? 0,
gpuObjects: session?.gpu.count ?? 0,
viewers: session?.viewers.size ?? 0,
};
}
modifiers(event) {
return modifiersOf(event);
}
}
const modifiersOf = (event) => (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0);
const raisedLimits = ["maxTextureDimension2D", "maxBufferSize", "maxStorageBufferBindingSize", "maxSampledTexturesPerShaderStage", "maxSamplersPerShaderStage"];
class Session {
viewers = new Map();
values = [];
offers = new Map();
isClosed = false;
#lastOffer = 0;
#lastImage = 0;
static async open(adapter, module, { onLost, onUnused }) {
const session = new Session();
Object.assign(session, { adapter, onLost, onUnused });
const requiredLimits = {};
for (const name of raisedLimits) requiredLimits[name] = adapter.limits[name];
const requiredFeatures = adapter.features.has("float32-filterable") ? ["float32-filterable"] : [];
try {
session.device = await adapter.requestDevice({ label: "vitrine", requiredFeatures, requiredLimits });
} catch (error) {
throw new VitrineError("no-adapter", `The GPU could not be opened: ${error.message}`, { cause: error });
}
await session.#instantiate(module);
session.device.lost.then((info) => session.lose(info.message || "The GPU device was lost."));
return session;
}
async #instantiate(module) {
const memory = new WasmMemory(null);
this.memory = memory;
this.gpu = makeWebGPU(memory, this.adapter, this.device, () => {});
const page = {
copyBytes: (source, pointer, count) => memory.slice(pointer, count).set(this.offers.get(source).subarray(0, count)),
putNumber: (value) => void this.values.push(value),
putText: (pointer, count) => void this.values.push(memory.text(pointer, count)),
putBytes: (pointer, count) => void this.values.push(memory.slice(pointer, count).slice()),
needsFrame: (viewer) => this.viewers.get(viewer)?.needsFrame(),
canvasTexture: (viewer) => this.viewers.get(viewer)?.canvasTexture() ?? 0,
releaseImage: (image) => {
this.gpu.images.get(image)?.close();
this.gpu.images.delete(image);
},
warn: (viewer, pointer, count) => this.viewers.get(viewer)?.warn(memory.text(pointer, count)),
now: () => performance.now(),
};
const instance = await WebAssembly.instantiate(module, { env: { ...mathematics(), ...this.gpu.env }, page });
this.exports = memory.exports = instance.exports;
memory.memory = instance.exports.memory;
const [status, reason] = this.call("open");
if (status < 0) throw new VitrineError("no-adapter", reason);
}
call(name, ...parameters) {
if (this.isClosed) throw new VitrineError("lost", "The GPU device was lost.");
this.values = [];
let result;
try {
result = this.exports[`vitrine_${name}`](...parameters);
} catch (error) {
if (error instanceof VitrineError) throw error;
this.lose(`The viewer has ended: ${error.message}`, "program");
throw new VitrineError(error instanceof RangeError ? "memory" : "lost", `The viewer has ended: ${error.message}`, { cause: error });
}
return [result, ...this.values];
}
offering(bytes, use) {
const number = ++this.#lastOffer;
this.offers.set(number, bytes);
try {
return use(number, bytes.length);
} finally {
this.offers.delete(number);
}
}
addImage(bitmap) {
this.gpu.images.set(++this.#lastImage, bitmap);
return this.#lastImage;
}
lose(message, source = "device") {
if (this.isClosed) return;
this.isClosed = true;
this.gpu.close();
this.onLost();
for (const bitmap of this.gpu.images.values()) bitmap.close();
for (const viewer of [...this.viewers.values()]) viewer.lose(message, source);
}
closeIfUnused() {
if (this.viewers.size || this.isClosed) return;
this.exports.vitrine_close();
this.isClosed = true;
this.gpu.close();
this.device.destroy();
this.onUnused();
}
}
const pause = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((resolve) => setTimeout(resolve)));
const bytesOf = (source) =>
source instanceof Uint8Array ? source : ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
const radians = (degrees) => (degrees * Math.PI) / 180;
const degrees = (radians) => (radians * 180) / Math.PI;
function inRange(name, value, low, high) {
value = +value;
if (!(value >= low && value <= high)) throw new RangeError(`${name} must lie in ${low}…${high}, it is ${value}`);
return value;
}
const properties = {
environmentIntensity: [0, 1, (value) => inRange("environmentIntensity", value, 0, 1e6)],
rotation: [1, 0, (value) => radians(inRange("rotation", value, -1e6, 1e6))],
backgroundBlur: [2, 0, (value) => inRange("backgroundBlur", value, 0, 1)],
exposure: [3, 0, (value) => inRange("exposure", value, -32, 32)],
toneMapping: [4, "neutral", (value) => oneOf("toneMapping", value, ["none", "neutral", "agx", "aces"])],
shadow: [5, 0, (value) => inRange("shadow", value, 0, 1)],
antialiasing: [6, true, Number],
cameraControls: [7, true, Number],
autoRotate: [8, false, Number],
autoRotateSpeed: [9, 12, (value) => radians(inRange("autoRotateSpeed", value, -3600, 3600))],
autoRotateDelay: [10, 3, (value) => inRange("autoRotateDelay", value, 0, 1e6)],
reducesMotion: [11, false, Number],
paused: [12, false, Number],
animationSpeed: [17, 1, (value) => inRange("animationSpeed", value, -100, 100)],
allowsZoom: [18, true, Number],
allowsPan: [19, true, Number],
};
function oneOf(name, value, known) {
const index = known.indexOf(value);
if (index < 0) throw new RangeError(`${name} must be one of ${known.join(", ")}, it is ${value}`);
return index;
}
class Viewer {
#session;
#number;
#canvas;
#context;
#options;
#values = {};
#background = "transparent";
#animationName = null;
#variantName = null;
#camera = { azimuth: 30, elevation: 15, distance: "auto", target: "auto", fieldOfView: 45 };
#limits = {};
#model = null;
#load = 0;
#environmentLoad = 0;
#frameRequested = false;
#isDestroyed = false;
#isLost = false;
#lastTime = 0;
#lastClick = null;
#frames = 0;
#milliseconds = 0;
#inputTime = -Infinity;
#scale = 1;
#warned = new Set();
constructor(session, canvas, options) {
this.#session = session;
this.#canvas = canvas;
this.#options = options;
const format = navigator.gpu.getPreferredCanvasFormat();
this.#context = canvas.getContext("webgpu");
if (!this.#context) throw new VitrineError("no-webgpu", "The canvas has a context of another kind, or this browser has no WebGPU.");
this.#context.configure({ device: session.device, format, alphaMode: "premultiplied" });
this.#number = this.#call("make_viewer", format === "bgra8unorm" ? 1 : 0)[0];
session.viewers.set(this.#number, this);
const { state } = options;
for (const name in properties) this.#values[name] = properties[name][1];
if (state) {
for (const name in properties) if (name in state) this[name] = state[name];
this.background = state.background;
this.#limits = state.cameraLimits;
this.#animationName = state.animationName;
this.#variantName = state.variantName;
this.setCamera(state.camera);
this.cameraLimits = state.cameraLimits;
}
}
#call(name, ...parameters) {
if (this.#isDestroyed) throw new VitrineError("destroyed", "The viewer was destroyed.");
if (this.#isLost) throw new VitrineError("lost", "The GPU device was lost.");
const values = name === "make_viewer" ? this.#session.call(name, ...parameters) : this.#session.call(name, this.#number, ...parameters);
if (values[0] < 0) throw values[2] ? unsupported(values[2], values[1]) : new VitrineError("model", values[1]);
return values;
}
needsFrame() {
if (this.#frameRequested) return;
this.#frameRequested = true;
this.#options.onNeedsFrame?.();
}
canvasTexture() {
try {
return this.#session.gpu.addCanvasTexture(this.#context.getCurrentTexture());
} catch {
return 0;
}
}
warn(text) {
if (this.#options.onWarning) this.#options.onWarning(text);
else console.warn(`Vitrine: ${text}`);
}
lose(message, source) {
if (this.#isLost || this.#isDestroyed) return;
this.#isLost = true;
this.#session.viewers.delete(this.#number);
this.#options.onLost?.(message, { source });
}
async load(source, { name = "model", onProgress, resolve, signal } = {}) {
const load = ++this.#load;
const session = this.#session;
const check = () => {
if (signal?.aborted || load !== this.#load || this.#isDestroyed) {
if (load === this.#load && !this.#isDestroyed && !this.#isLost) this.#call("cancel_load");
throw new VitrineError("aborted", "Another model was loaded, or the load was cancelled.");
}
if (this.#isLost) throw new VitrineError("lost", "The GPU device was lost.");
};
let done = 0;
const progress = (fraction) => {
if (fraction > done) onProgress?.((done = Math.min(fraction, 1)));
};
check();
let images = await this.#parse(bytesOf(source), name, resolve, check);
progress(0.1);
let decoded = 0;
const queue = images.slice();
images = null;
const total = Math.max(queue.length, 1);
const work = async () => {
for (let image; (image = queue.shift()); ) {
const result = await decodeImage(image, session.device.limits.maxTextureDimension2D);
if (load !== this.#load || this.#isDestroyed || this.#isLost) {
result.bitmap?.close();
return;
}
if (result.bitmap) {
const { width, height } = result.bitmap;
this.#call("take_image", image.index, session.addImage(result.bitmap), width, height);
} else if (result.extension) {
this.#load++;
this.#call("cancel_load");
throw unsupported(result.extension, `${name}: ${result.reason}`);
} else {
session.memory.withText(result.reason, (text, count) => this.#call("drop_image", image.index, text, count));
}
if (result.warning) this.warn(result.warning);
progress(0.1 + (0.4 * ++decoded) / total);
}
};
await Promise.all(Array.from({ length: 4 }, work));
check();
for (let fraction = 0; fraction < 1; ) {
fraction = this.#call("advance_load", 6)[1];
progress(0.5 + 0.5 * fraction * 0.99);
await session.device.queue.onSubmittedWorkDone();
await pause();
check();
}
this.#call("finish_load");
this.needsFrame();
this.#model = this.#readModel(name);
this.#choose();
progress(1);
return this.#model;
}
async #parse(bytes, name, resolve, check) {
const session = this.#session;
let files = new Map();
if (mentions(bytes, MESHOPT)) ({ bytes, files } = await unpack(bytes, name, resolve));
check();
let takesMissing = !resolve;
try {
while (true) {
session.call("clear_files");
for (const [path, file] of files) {
if (!file) continue;
session.memory.withText(path, (text, count) => session.offering(file, (offer, length) => session.call("add_file", text, count, offer, length)));
}
const [status, ...values] = session.memory.withText(name, (text, count) =>
session.offering(bytes, (offer, length) => this.#call("parse", offer, length, text, count, takesMissing ? 1 : 0)));
if (status === 0) return takeImages(values);
const paths = [...new Set(values.slice(1))].filter((path) => !files.has(path));
takesMissing = paths.length === 0;
await Promise.all(paths.map(async (path) => files.set(path, await (async () => bytesOf(await resolve(path)))().catch(() => null))));
check();
}
} finally {
if (!session.isClosed) session.call("clear_files");
}
}
#readModel(name) {
const values = this.#call("model").slice(1);
if (!values.length) return null;
let position = 0;
const next = () => values[position++];
const list = (read) => Array.from({ length: next() }, read);
const [title, generator, copyright] = [next(), next(), next()];
const [extensionsUsed, variants, warnings, cameras] = [list(next), list(next), list(next), list(next)];
const animations = list(() => ({ name: next(), duration: next() }));
const corner = () => [next(), next(), next()];
const bounds = { min: corner(), max: corner() };
for (const text of warnings) this.warn(`${name}: ${text}`);
return { name: title || name, generator, copyright, extensionsUsed, animations, variants, cameras, warnings, bounds, triangles: next(), textures: next() };
}
#choose() {
if (this.#animationName !== null) {
const index = this.#model.animations.findIndex(({ name }) => name === this.#animationName);
if (index < 0) this.warn(`the model has no animation "${this.#animationName}"`);
else this.#call("set", 14, index);
}
if (this.#variantName !== null) {
const index = this.#model.variants.indexOf(this.#variantName);
if (index < 0) this.warn(`the model has no variant "${this.#variantName}"`);
else this.#call("set", 15, index);
}
this.#call("set", 12, this.#values.paused ? 1 : 0);
this.#call("set", 17, this.#values.animationSpeed);
}
get model() {
return this.#model;
}
unload() {
this.#load++;
this.#model = null;
this.#call("cancel_load");
this.#call("unload");
}
async setEnvironment(source) {
const load = ++this.#environmentLoad;
const session = this.#session;
let bytes = source ? bytesOf(await source) : new Uint8Array();
let [width, height] = [0, 0];
const fail = (message) => {
throw new VitrineError("environment", message);
};
if (bytes.length && !(bytes[0] === 0x23 && bytes[1] === 0x3f)) {
const bitmap = await createImageBitmap(new Blob([bytes])).catch(() => fail("The environment is neither a Radiance file (.hdr) nor an image that this browser knows."));
[width, height] = [bitmap.width, bitmap.height];
const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
context.drawImage(bitmap, 0, 0);
bitmap.close();
bytes = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
}
const check = () => {
if (load !== this.#environmentLoad || this.#isDestroyed) throw new VitrineError("aborted", "Another environment was set.");
};
try {
check();
session.offering(bytes, (offer, length) => this.#call("begin_environment", offer, length, width, height));
while (this.#call("advance_environment", 6)[1] < 1) {
await session.device.queue.onSubmittedWorkDone();
await pause();
check();
}
} catch (error) {
if (error.code === "model") fail(error.message);
throw error;
}
}
get background() {
return this.#background;
}
set background(value) {
let color = [0, 0, 0, 0];
let kind = ["transparent", "environment"].indexOf(value);
if (kind < 0) {
const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(value);
if (!match) throw new RangeError(`background must be transparent, environment, #rrggbb or #rrggbbaa, it is ${value}`);
kind = 2;
const number = parseInt(match[1], 16);
color = [number >> 16, (number >> 8) & 255, number & 255, match[2] ? parseInt(match[2], 16) : 255].map((part) => part / 255);
}
this.#background = value;
this.#call("set_background", kind, ...color);
}
get camera() {
const [, azimuth, elevation, distance, x, y, z, fieldOfView] = this.#call("get_camera");
return { azimuth: degrees(azimuth), elevation: degrees(elevation), distance, target: [x, y, z], fieldOfView: degrees(fieldOfView) };
}
set camera(part) {
this.setCamera(part);
}
setCamera(part, { glide = false } = {}) {
const next = { ...this.#camera, ...part };
const fieldOfView = inRange("fieldOfView", next.fieldOfView, 0.1, 179);
const azimuth = inRange("azimuth", next.azimuth, -1e6, 1e6);
const elevation = inRange("elevation", next.elevation, -90, 90);
const distance = next.distance === "auto" || next.distance == null ? 0 : inRange("distance", next.distance, 1e-9, 1e12);
const target = next.target === "auto" || next.target == null ? [NaN, NaN, NaN] : next.target.map((value) => inRange("target", value, -1e12, 1e12));
if (fieldOfView !== this.#camera.fieldOfView) this.#call("set", 16, radians(fieldOfView));
this.#camera = next;
this.#call("set_camera", radians(azimuth), radians(elevation), distance, ...target, glide ? this.#now() : NaN);
}
resetCamera() {
this.#call("reset_camera", this.#now());
}
get cameraLimits() {
return this.#limits;
}
set cameraLimits(limits) {
this.#limits = limits ?? {};
const { azimuth = [NaN, NaN], elevation = [NaN, NaN], distance = [NaN, NaN] } = this.#limits;
this.#call("set_camera_limits", ...azimuth.map(radians), ...elevation.map(radians), ...distance);
}
project([x, y, z]) {
return this.#call("project", x, y, z).slice(1);
}
pick(x, y) {
const values = this.#call("pick", x, y).slice(1);
if (!values.length) return null;
const [node, material] = values.slice(8);
return { position: values.slice(0, 3), normal: values.slice(3, 6), uv: values.slice(6, 8), node, material };
}
get animationName() {
return this.#animationName ?? this.#model?.animations[this.#call("get_animation")[3]]?.name ?? null;
}
set animationName(name) {
if (this.#model) {
const index = name === null ? 0 : this.#model.animations.findIndex((animation) => animation.name === name);
if (index < 0) throw new RangeError(`the model has no animation "${name}"`);
if (this.#model.animations.length) this.#call("set", 14, index);
}
this.#animationName = name;
}
get animationTime() {
return this.#call("get_animation")[2];
}
set animationTime(seconds) {
this.#call("set", 13, inRange("animationTime", seconds, 0, 1e9));
}
get variantName() {
return this.#variantName;
}
set variantName(name) {
if (this.#model) {
const index = name === null ? -1 : this.#model.variants.indexOf(name);
if (name !== null && index < 0) throw new RangeError(`the model has no variant "${name}"`);
this.#call("set", 15, index);
}
this.#variantName = name;
}
#now() {
return Math.max(performance.now() / 1000, this.#lastTime);
}
pointer(type, id, kind, x, y, button, modifiers, time) {
const touch = kind === "touch";
let clicks = 1;
if (type === "down" && !touch) {
const last = this.#lastClick;
if (last && last.button === button && time - last.time < 500 && Math.hypot(x - last.x, y - last.y) < 5) clicks = last.clicks + 1;
this.#lastClick = { button, time, x, y, clicks };
}
const input = touch ? { down: 3, move: 4, up: 5, cancel: 6 }[type] : { down: 0, move: 1, up: 2, cancel: 7 }[type];
this.#inputTime = time;
this.#call("pointer", input, id | 0, button, clicks, x, y, modifiers, time / 1000);
return this.#values.cameraControls;
}
wheel(dx, dy, mode, x, y, modifiers, time) {
const notches = modifiers & 2 ? 0.0715 : [0.01, 1 / 3, 1][mode] ?? 0.01;
this.#inputTime = time;
this.#call("wheel", dx * notches, -dy * notches, x, y, modifiers, time / 1000);
return this.#values.cameraControls;
}
key(type, key, isRepeat, modifiers, time) {
if (type !== "down") return false;
const codes = { ArrowLeft: -1, ArrowRight: -2, ArrowUp: -3, ArrowDown: -4, Home: -5, End: -6 };
const code = codes[key] ?? ([...key].length === 1 ? key.toLowerCase().codePointAt(0) : 0);
if (!code) return false;
const isUsed = this.#call("key", code, isRepeat ? 1 : 0, modifiers, time / 1000)[0] === 1;
if (isUsed) this.#inputTime = time;
return isUsed;
}
blur(time) {
this.#call("pointer", 7, 0, 0, 1, 0, 0, 0, time / 1000);
}
handle(event) {
const time = event.timeStamp;
const modifiers = modifiersOf(event);
switch (event.type) {
case "keydown": return this.key("down", event.key, event.repeat, modifiers, time);
case "keyup": return false;
case "blur": return void this.blur(time);
}
const box = this.#canvas.getBoundingClientRect();
const [x, y] = [event.clientX - box.left, event.clientY - box.top];
const types = { pointerdown: "down", pointermove: "move", pointerup: "up", pointercancel: "cancel" };
if (event.type === "wheel") return this.wheel(event.deltaX, event.deltaY, event.deltaMode, x, y, modifiers, time);
const type = types[event.type];
return type ? this.pointer(type, event.pointerId, event.pointerType, x, y, event.button, modifiers, time) : false;
}
resize(width, height, scale) {
const limit = this.#session.device.limits.maxTextureDimension2D;
scale = Math.min(scale, limit / Math.max(width, height, 1));
this.#scale = scale;
const [pixels, rows] = [Math.round(width * scale), Math.round(height * scale)];
if (this.#canvas.width !== pixels) this.#canvas.width = pixels;
if (this.#canvas.height !== rows) this.#canvas.height = rows;
this.#call("resize", pixels, rows, width, height);
this.needsFrame();
}
frame(time) {
this.#frameRequested = false;
this.#lastTime = time / 1000;
const start = performance.now();
let result;
try {
[result] = this.#call("frame", time / 1000);
} catch (error) {
if (error.code !== "model") throw error;
if (!this.#warned.has(error.message)) {
this.#warned.add(error.message);
this.warn(error.message);
}
return false;
}
if (result & 4) {
this.#frames++;
this.#milliseconds = performance.now() - start;
}
if (result & 2) this.#options.onCameraChange?.({ source: time - this.#inputTime < 2000 ? "user" : "none" });
return (result & 1) !== 0;
}
get statistics() {
const [, drawCalls, triangles, gpuMemory] = this.#call("statistics");
return { frames: this.#frames, drawCalls, triangles, gpuMemory, cpuMilliseconds: this.#milliseconds };
}
async pixels({ width = this.#canvas.width, height = this.#canvas.height, samples = 1 } = {}) {
const { device, gpu } = this.#session;
const [handle] = this.#call("snapshot", width, height, samples);
const stride = Math.ceil((width * 4) / 256) * 256;
const buffer = device.createBuffer({ size: stride * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
try {
const commands = device.createCommandEncoder();
commands.copyTextureToBuffer({ texture: gpu.object(handle) }, { buffer, bytesPerRow: stride }, [width, height]);
device.queue.submit([commands.finish()]);
this.#call("end_snapshot");
await buffer.mapAsync(GPUMapMode.READ);
const source = new Uint8Array(buffer.getMappedRange());
const image = new ImageData(width, height);
for (let row = 0; row < height; row++) image.data.set(source.subarray(row * stride, row * stride + width * 4), row * width * 4);
const { data } = image;
for (let index = 0; index < data.length; index += 4) {
const alpha = data[index + 3];
if (alpha === 255 || alpha === 0) continue;
for (let channel = 0; channel < 3; channel++) data[index + channel] = Math.min((data[index + channel] * 255 + (alpha >> 1)) / alpha, 255);
}
return image;
} finally {
buffer.destroy();
}
}
async snapshot({ type = "image/png", quality, ...options } = {}) {
const image = await this.pixels(options);
const canvas = new OffscreenCanvas(image.width, image.height);
canvas.getContext("2d").putImageData(image, 0, 0);
return canvas.convertToBlob({ type, quality });
}
state() {
const camera = this.#isLost || this.#isDestroyed ? this.#camera : { ...this.#camera, ...this.camera };
return {
...this.#values, background: this.#background, camera, cameraLimits: this.#limits, animationName: this.#animationName,
variantName: this.#variantName,
};
}
destroy() {
if (this.#isDestroyed) return;
if (!this.#isLost) {
this.#call("remove_viewer");
this.#context.unconfigure();
this.#session.viewers.delete(this.#number);
}
this.#isDestroyed = true;
this.#session.closeIfUnused();
this.#session = null;
}
property(name, value) {
if (value === undefined) return this.#values[name];
const [number, , convert] = properties[name];
const converted = convert(value);
this.#values[name] = value;
this.#call("set", number, converted);
}
}
for (const name in properties) {
Object.defineProperty(Viewer.prototype, name, {
enumerable: true,
get() {
return this.property(name);
},
set(value) {
this.property(name, value);
},
});
}
function takeImages([count, ...values]) {
return Array.from({ length: count }, (_, position) => {
const [index, type, bytes, fallback] = values.slice(position * 4, position * 4 + 4);
return { index, type, bytes, fallback };
});
}
async function decodeImage({ type, bytes, fallback }, limit) {
const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
const isKTX = (data) => data[0] === 0xab && data[1] === 0x4b && data[2] === 0x54;
const attempts = fallback.length ? [bytes, fallback] : [bytes];
let [reason, extension] = ["", null];
for (const data of attempts) {
if (isKTX(data)) {
[reason, extension] = ["its textures are KTX2 images (KHR_texture_basisu), which are not supported in pages", "KHR_texture_basisu"];
continue;
}
try {
const blob = new Blob([data], { type: data === bytes ? type : "" });
let bitmap = await createImageBitmap(blob, options);
const side = Math.max(bitmap.width, bitmap.height);
if (side <= limit) return { bitmap };
const size = { resizeWidth: Math.max(1, Math.round((bitmap.width * limit) / side)), resizeHeight: Math.max(1, Math.round((bitmap.height * limit) / side)) };
const warning = `an image of ${bitmap.width} × ${bitmap.height} pixels was scaled down to ${size.resizeWidth} × ${size.resizeHeight}`;
bitmap.close();
bitmap = await createImageBitmap(blob, { ...options, ...size, resizeQuality: "high" });
return { bitmap, warning };
} catch (error) {
reason ||= data.length ? `the browser cannot decode it: ${error.message}` : "it is empty";
}
}
return { reason, extension };
}
const MESHOPT = "EXT_meshopt_compression";
function unsupported(extension, message) {
const hint = ["KHR_draco_mesh_compression", "KHR_texture_basisu"].includes(extension) ? "; the command 'vitrine web' writes the model without it" : "";
return Object.assign(new VitrineError("unsupported", message + hint), { extension });
}
function mentions(bytes, word) {
const isBinary = bytes[0] === 0x67 && bytes.length >= 20;
const end = isBinary ? 20 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) : bytes.length;
return new TextDecoder().decode(bytes.subarray(isBinary ? 20 : 0, end)).includes(`"${word}"`);
}
async function unpack(bytes, name, resolve = () => Promise.reject()) {
let decoder;
try {
decoder = await import(meshopt ?? new URL("vitrine-meshopt.js", import.meta.url));
} catch (error) {
throw unsupported(MESHOPT, `${name}: requires the extension ${MESHOPT}, and its decoder, vitrine-meshopt.js, could not be loaded: ${error.message}`);
}
try {
return await decoder.decodeModel(bytes, resolve);
} catch (error) {
throw new VitrineError(error instanceof RangeError ? "memory" : "model", `${name}: ${error.message}`);
}
}
