internal import CWebGPU

/// Compiled vertex and fragment shaders with all fixed-function state.
public final class GPURenderPipeline {
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    let device: GPUDevice
    let handle: WGPURenderPipeline

    init(device: GPUDevice, handle: WGPURenderPipeline, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuRenderPipelineRelease(handle) }

    /// Returns the layout of one `@group`, for bind groups of a pipeline that was created without a layout.
    public func bindGroupLayout(_ group: Int) throws(GPUError) -> GPUBindGroupLayout {
        let mark = device.state.mark
        return try device.adopt(wgpuRenderPipelineGetBindGroupLayout(handle, UInt32(group)), named: label, since: mark) {
            GPUBindGroupLayout(device: device, handle: $0, label: label)
        }
    }
}

extension GPUDevice {
    /// Creates a render pipeline, which compiles the shaders for the hardware. This takes milliseconds, on a software GPU tens of
    /// milliseconds: keep the pipeline.
    public func makeRenderPipeline(_ pipeline: GPURenderPipelineDescriptor) throws(GPUError) -> GPURenderPipeline {
        try require(pipeline.layout?.device, for: pipeline.label)
        try require(pipeline.vertex.module.device, for: pipeline.label)
        try require(pipeline.fragment?.module.device, for: pipeline.label)
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPURenderPipelineDescriptor()
        descriptor.label = memory.string(pipeline.label)
        descriptor.layout = pipeline.layout?.handle
        descriptor.vertex = pipeline.rawVertex(in: &memory)
        descriptor.primitive = pipeline.rawPrimitive(in: &memory)
        if let depthStencil = pipeline.depthStencil { descriptor.depthStencil = memory.pointer(to: depthStencil.raw) }
        descriptor.multisample.count = UInt32(pipeline.sampleCount)
        descriptor.multisample.mask = pipeline.sampleMask
        descriptor.multisample.alphaToCoverageEnabled = pipeline.alphaToCoverage ? 1 : 0
        if let fragment = pipeline.rawFragment(in: &memory) { descriptor.fragment = memory.pointer(to: fragment) }
        return try adopt(
            try compiling(pipeline.label) { wgpuDeviceCreateRenderPipeline(handle, &descriptor) }, named: pipeline.label, since: mark
        ) {
            GPURenderPipeline(device: self, handle: $0, label: pipeline.label)
        }
    }
}

// MARK: C descriptors

extension GPURenderPipelineDescriptor {
    fileprivate func rawVertex(in memory: inout DescriptorMemory) -> WGPUVertexState {
        var state = WGPUVertexState()
        state.module = vertex.module.handle
        state.entryPoint = memory.string(vertex.entryPoint)
        state.constantCount = vertex.constants.count
        state.constants = vertex.rawConstants(in: &memory)
        var buffers: [WGPUVertexBufferLayout] = []
        for buffer in vertexBuffers {
            var layout = WGPUVertexBufferLayout()
            layout.stepMode = WGPUVertexStepMode(rawValue: buffer.stepMode.rawValue)
            layout.arrayStride = UInt64(buffer.stride)
            layout.attributeCount = buffer.attributes.count
            layout.attributes = memory.array(buffer.attributes.map { $0.raw })
            buffers.append(layout)
        }
        state.bufferCount = buffers.count
        state.buffers = memory.array(buffers)
        return state
    }

    fileprivate func rawPrimitive(in memory: inout DescriptorMemory) -> WGPUPrimitiveState {
        var state = WGPUPrimitiveState()
        state.topology = WGPUPrimitiveTopology(rawValue: topology.rawValue)
        state.stripIndexFormat = WGPUIndexFormat(rawValue: stripIndexFormat?.rawValue ?? 0)
        state.frontFace = WGPUFrontFace(rawValue: frontFace.rawValue)
        state.cullMode = WGPUCullMode(rawValue: cullMode.rawValue)
        state.unclippedDepth = isDepthUnclipped ? 1 : 0
        if polygonMode != .fill {
            var extras = WGPUPrimitiveStateExtras()
            extras.chain.sType = WGPUSType(rawValue: WGPUSType_PrimitiveStateExtras.rawValue)
            extras.polygonMode = WGPUPolygonMode(rawValue: polygonMode.rawValue)
            state.nextInChain = memory.chain(extras)
        }
        return state
    }

    fileprivate func rawFragment(in memory: inout DescriptorMemory) -> WGPUFragmentState? {
        guard let fragment else { return nil }
        var state = WGPUFragmentState()
        state.module = fragment.module.handle
        state.entryPoint = memory.string(fragment.entryPoint)
        state.constantCount = fragment.constants.count
        state.constants = fragment.rawConstants(in: &memory)
        var raw: [WGPUColorTargetState] = []
        for target in targets {
            var targetState = WGPUColorTargetState()
            targetState.format = target.format.raw
            targetState.writeMask = target.writeMask.rawValue
            if let blend = target.blend { targetState.blend = memory.pointer(to: blend.raw) }
            raw.append(targetState)
        }
        state.targetCount = raw.count
        state.targets = memory.array(raw)
        return state
    }
}

extension GPUVertexAttribute {
    fileprivate var raw: WGPUVertexAttribute {
        var attribute = WGPUVertexAttribute()
        attribute.format = WGPUVertexFormat(rawValue: format.rawValue)
        attribute.offset = UInt64(offset)
        attribute.shaderLocation = UInt32(location)
        return attribute
    }
}

extension GPUBlendState {
    fileprivate var raw: WGPUBlendState { WGPUBlendState(color: color.raw, alpha: alpha.raw) }
}

extension GPUBlendComponent {
    fileprivate var raw: WGPUBlendComponent {
        WGPUBlendComponent(
            operation: WGPUBlendOperation(rawValue: operation.rawValue), srcFactor: WGPUBlendFactor(rawValue: source.rawValue),
            dstFactor: WGPUBlendFactor(rawValue: destination.rawValue))
    }
}

extension GPUDepthStencilState {
    fileprivate var raw: WGPUDepthStencilState {
        var state = WGPUDepthStencilState()
        state.format = format.raw
        // WebGPU rejects depth settings for a format without depth.
        state.depthWriteEnabled =
            format.hasDepth ? (depthWrite ? WGPUOptionalBool_True : WGPUOptionalBool_False) : WGPUOptionalBool_Undefined
        state.depthCompare = WGPUCompareFunction(rawValue: format.hasDepth ? depthCompare.rawValue : 0)
        state.stencilFront = stencilFront.raw
        state.stencilBack = stencilBack.raw
        state.stencilReadMask = stencilReadMask
        state.stencilWriteMask = stencilWriteMask
        state.depthBias = Int32(clamping: depthBias)
        state.depthBiasSlopeScale = depthBiasSlopeScale
        state.depthBiasClamp = depthBiasClamp
        return state
    }
}

extension GPUStencilFace {
    fileprivate var raw: WGPUStencilFaceState {
        WGPUStencilFaceState(
            compare: WGPUCompareFunction(rawValue: compare.rawValue), failOp: WGPUStencilOperation(rawValue: fail.rawValue),
            depthFailOp: WGPUStencilOperation(rawValue: depthFail.rawValue), passOp: WGPUStencilOperation(rawValue: pass.rawValue))
    }
}
