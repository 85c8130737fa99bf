internal import CWebGPU

/// The contents of an attachment when a pass begins.
public enum GPULoadOperation<Value: Sendable>: Sendable {
    /// The previous contents.
    case load
    /// This value in every texel.
    case clear(Value)
}

/// Whether the contents of an attachment are kept when a pass ends.
public enum GPUStoreOperation: UInt32, Sendable {
    /// The contents, for later passes and copies.
    case store = 1
    /// Discards them: saves memory traffic for multisampled and depth attachments that are not read later.
    case discard = 2
}

/// A colour target of a render pass.
public struct GPUColorAttachment {
    /// One mip level and one layer of a texture with `renderAttachment`.
    public var view: GPUTextureView
    /// Gets the average of the samples when `view` is multisampled.
    public var resolveTarget: GPUTextureView?
    /// Transparent black by default.
    public var load: GPULoadOperation<GPUColor>
    /// Kept by default.
    public var store: GPUStoreOperation
    /// The slice to draw into when `view` is three-dimensional.
    public var depthSlice: Int?

    /// Creates an attachment that is cleared first and kept afterwards by default.
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
    /// One mip level and one layer of a texture with a depth or stencil format.
    public var view: GPUTextureView
    /// 1, the far plane of a standard depth range, by default; ignored when depth is read-only.
    public var depthLoad: GPULoadOperation<Float>
    /// Kept by default; ignored when depth is read-only.
    public var depthStore: GPUStoreOperation
    /// Tests against depth but never writes, so that shaders may read it in the same pass.
    public var isDepthReadOnly: Bool
    package var stencilLoad: GPULoadOperation<UInt32>
    package var stencilStore: GPUStoreOperation
    package var isStencilReadOnly: Bool

    /// Creates an attachment that clears depth to 1 and keeps the result by default.
    public init(
        _ view: GPUTextureView, depthLoad: GPULoadOperation<Float> = .clear(1), depthStore: GPUStoreOperation = .store,
        isDepthReadOnly: Bool = false
    ) {
        self.init(view, depthLoad: depthLoad, depthStore: depthStore, isDepthReadOnly: isDepthReadOnly, stencilLoad: .clear(0))
    }

    /// Creates an attachment whose stencil aspect is configured too.
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
    /// Names the pass in errors.
    public var label: String
    /// `@location(0)` first.
    public var colors: [GPUColorAttachment]
    /// nil draws without depth and stencil tests.
    public var depthStencil: GPUDepthStencilAttachment?
    /// The queries for the times at which the pass begins and ends.
    package var timestamps: GPUPassTimestamps?
    /// The query set of `beginOcclusionQuery`.
    package var occlusionQueries: GPUQuerySet?

    /// Describes a pass; `colors[0]` is `@location(0)`.
    public init(_ label: String, colors: [GPUColorAttachment] = [], depthStencil: GPUDepthStencilAttachment? = nil) {
        self.init(label, colors: colors, depthStencil: depthStencil, timestamps: nil)
    }

    /// Describes a pass with queries.
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

/// Two queries that get the times when a pass begins and ends.
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
