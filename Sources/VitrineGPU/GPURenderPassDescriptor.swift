internal import CWebGPU

/// The contents of an attachment when a pass begins.
public enum GPULoadOperation<Value: Sendable>: Sendable {
    /// The previous contents.
    case load
    case clear(Value)
}

/// What remains of an attachment when a pass ends.
public enum GPUStoreOperation: UInt32, Sendable {
    case store = 1
    /// Discards them: saves memory traffic for multisampled and depth attachments that are not read later.
    case discard = 2
}

/// A colour target of a render pass.
public struct GPUColorAttachment {
    public var view: GPUTextureView
    /// Gets the average of the samples when `view` is multisampled.
    public var resolveTarget: GPUTextureView?
    public var load: GPULoadOperation<GPUColor>
    public var store: GPUStoreOperation
    /// The slice to draw into when `view` is three-dimensional.
    public var depthSlice: Int?

    public init(
        _ view: GPUTextureView, load: GPULoadOperation<GPUColor> = .clear(.clear), store: GPUStoreOperation = .store,
        resolveTarget: GPUTextureView? = nil, depthSlice: Int? = nil
    ) {
        self.view = view
        self.load = load
        self.store = store
        self.resolveTarget = resolveTarget
        self.depthSlice = depthSlice
    }

    var raw: WGPURenderPassColorAttachment {
        var attachment = WGPURenderPassColorAttachment()
        attachment.view = view.handle
        attachment.resolveTarget = resolveTarget?.handle
        attachment.depthSlice = depthSlice.map { UInt32($0) } ?? UInt32.max
        attachment.storeOp = WGPUStoreOp(rawValue: store.rawValue)
        switch load {
        case .load: attachment.loadOp = WGPULoadOp_Load
        case .clear(let color):
            attachment.loadOp = WGPULoadOp_Clear
            attachment.clearValue = WGPUColor(r: color.red, g: color.green, b: color.blue, a: color.alpha)
        }
        return attachment
    }
}

/// The depth-stencil target of a render pass. Aspects that the format lacks are ignored.
public struct GPUDepthStencilAttachment {
    public var view: GPUTextureView
    public var depthLoad: GPULoadOperation<Float>
    public var depthStore: GPUStoreOperation
    /// Tests against depth but never writes, so that shaders may read it in the same pass.
    public var isDepthReadOnly: Bool
    public var stencilLoad: GPULoadOperation<UInt32>
    public var stencilStore: GPUStoreOperation
    public var isStencilReadOnly: Bool

    public init(
        _ view: GPUTextureView, depthLoad: GPULoadOperation<Float> = .clear(1), depthStore: GPUStoreOperation = .store,
        isDepthReadOnly: Bool = false, stencilLoad: GPULoadOperation<UInt32> = .clear(0), stencilStore: GPUStoreOperation = .store,
        isStencilReadOnly: Bool = false
    ) {
        self.view = view
        self.depthLoad = depthLoad
        self.depthStore = depthStore
        self.isDepthReadOnly = isDepthReadOnly
        self.stencilLoad = stencilLoad
        self.stencilStore = stencilStore
        self.isStencilReadOnly = isStencilReadOnly
    }

    var raw: WGPURenderPassDepthStencilAttachment {
        var attachment = WGPURenderPassDepthStencilAttachment()
        attachment.view = view.handle
        if view.format.hasDepth {
            attachment.depthReadOnly = isDepthReadOnly ? 1 : 0
            if !isDepthReadOnly {
                attachment.depthStoreOp = WGPUStoreOp(rawValue: depthStore.rawValue)
                attachment.depthLoadOp = WGPULoadOp_Load
                if case .clear(let value) = depthLoad {
                    attachment.depthLoadOp = WGPULoadOp_Clear
                    attachment.depthClearValue = value
                }
            }
        }
        if view.format.hasStencil {
            attachment.stencilReadOnly = isStencilReadOnly ? 1 : 0
            if !isStencilReadOnly {
                attachment.stencilStoreOp = WGPUStoreOp(rawValue: stencilStore.rawValue)
                attachment.stencilLoadOp = WGPULoadOp_Load
                if case .clear(let value) = stencilLoad {
                    attachment.stencilLoadOp = WGPULoadOp_Clear
                    attachment.stencilClearValue = value
                }
            }
        }
        return attachment
    }
}

/// What a render pass draws into.
public struct GPURenderPassDescriptor {
    /// Names the pass in errors.
    public var label: String
    /// `@location(0)` first.
    public var colors: [GPUColorAttachment]
    public var depthStencil: GPUDepthStencilAttachment?
    /// Where the times of begin and end go.
    public var timestamps: GPUPassTimestamps?
    /// Where `beginOcclusionQuery` writes.
    public var occlusionQueries: GPUQuerySet?

    public init(
        _ label: String, colors: [GPUColorAttachment] = [], depthStencil: GPUDepthStencilAttachment? = nil,
        timestamps: GPUPassTimestamps? = nil, occlusionQueries: GPUQuerySet? = nil
    ) {
        self.label = label
        self.colors = colors
        self.depthStencil = depthStencil
        self.timestamps = timestamps
        self.occlusionQueries = occlusionQueries
    }
}

/// Two queries that get the times when a pass begins and ends.
public struct GPUPassTimestamps {
    public var queries: GPUQuerySet
    public var begin: Int
    public var end: Int

    public init(_ queries: GPUQuerySet, begin: Int, end: Int) {
        self.queries = queries
        self.begin = begin
        self.end = end
    }

    var raw: WGPUPassTimestampWrites {
        WGPUPassTimestampWrites(
            nextInChain: nil, querySet: queries.handle, beginningOfPassWriteIndex: UInt32(begin), endOfPassWriteIndex: UInt32(end))
    }
}
