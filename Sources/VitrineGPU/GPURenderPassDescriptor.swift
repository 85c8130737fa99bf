internal import CWebGPU

/// The contents of an attachment when a pass begins.
public enum GPULoadOperation<Value: Sendable>: Sendable {
    /// Loads the previous contents.
    case load
    /// Sets every texel to this value.
    case clear(Value)
}

/// The treatment of an attachment's contents when a pass ends.
public enum GPUStoreOperation: UInt32, Sendable {
    /// Stores the contents for later passes and copies.
    case store = 1
    /// Discards the contents, which saves memory traffic for multisampled and depth attachments that no later pass reads.
    case discard = 2
}

/// A colour target of a render pass.
public struct GPUColorAttachment {
    /// The view to draw into: one mip level and one layer of a texture with the usage `renderAttachment`.
    public var view: GPUTextureView
    /// The texture view to which the average of the samples is written; only if `view` is multisampled.
    public var resolveTarget: GPUTextureView?
    /// Clears to transparent black by default.
    public var load: GPULoadOperation<GPUColor>
    /// Stores the contents by default.
    public var store: GPUStoreOperation
    /// The slice to draw into when `view` is three-dimensional.
    public var depthSlice: Int?

    /// Creates an attachment; by default the pass clears it and stores the result.
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

/// The depth-stencil target of a render pass. Settings of an aspect that the format does not have are ignored.
public struct GPUDepthStencilAttachment {
    /// The depth or stencil view: one mip level and one layer of a texture with such a format.
    public var view: GPUTextureView
    /// Clears to 1 by default, the far plane of the standard depth range; ignored if depth is read-only.
    public var depthLoad: GPULoadOperation<Float>
    /// Stores the contents by default; ignored if depth is read-only.
    public var depthStore: GPUStoreOperation
    /// Whether the pass tests depth without writing it, so that its shaders may read the texture too.
    public var isDepthReadOnly: Bool
    package var stencilLoad: GPULoadOperation<UInt32>
    package var stencilStore: GPUStoreOperation
    package var isStencilReadOnly: Bool

    /// Creates an attachment; by default the pass clears depth to 1 and stores the result.
    public init(
        _ view: GPUTextureView, depthLoad: GPULoadOperation<Float> = .clear(1), depthStore: GPUStoreOperation = .store,
        isDepthReadOnly: Bool = false
    ) {
        self.init(view, depthLoad: depthLoad, depthStore: depthStore, isDepthReadOnly: isDepthReadOnly, stencilLoad: .clear(0))
    }

    /// Creates an attachment with load and store operations for the stencil aspect.
    package init(
        _ view: GPUTextureView, depthLoad: GPULoadOperation<Float> = .clear(1), depthStore: GPUStoreOperation = .store,
        isDepthReadOnly: Bool = false, stencilLoad: GPULoadOperation<UInt32>, stencilStore: GPUStoreOperation = .store,
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

/// The attachments of a render pass.
public struct GPURenderPassDescriptor {
    /// The name of the pass in errors.
    public var label: String
    /// The colour attachments, `@location(0)` first.
    public var colors: [GPUColorAttachment]
    /// The depth-stencil attachment; nil draws without depth and stencil tests.
    public var depthStencil: GPUDepthStencilAttachment?
    /// The queries that receive timestamps at the beginning and end of the pass.
    package var timestamps: GPUPassTimestamps?
    /// The query set of `beginOcclusionQuery`.
    package var occlusionQueries: GPUQuerySet?

    /// Creates a description of a pass; `colors[0]` is `@location(0)`.
    public init(_ label: String, colors: [GPUColorAttachment] = [], depthStencil: GPUDepthStencilAttachment? = nil) {
        self.init(label, colors: colors, depthStencil: depthStencil, timestamps: nil)
    }

    /// Creates a description of a pass with queries.
    package init(
        _ label: String, colors: [GPUColorAttachment] = [], depthStencil: GPUDepthStencilAttachment? = nil,
        timestamps: GPUPassTimestamps?, occlusionQueries: GPUQuerySet? = nil
    ) {
        self.label = label
        self.colors = colors
        self.depthStencil = depthStencil
        self.timestamps = timestamps
        self.occlusionQueries = occlusionQueries
    }
}

/// The two queries that receive timestamps at the beginning and end of a pass.
package struct GPUPassTimestamps {
    package var queries: GPUQuerySet
    package var begin: Int
    package var end: Int

    package init(_ queries: GPUQuerySet, begin: Int, end: Int) {
        self.queries = queries
        self.begin = begin
        self.end = end
    }

    var raw: WGPUPassTimestampWrites {
        WGPUPassTimestampWrites(
            nextInChain: nil, querySet: queries.handle, beginningOfPassWriteIndex: UInt32(begin), endOfPassWriteIndex: UInt32(end))
    }
}
