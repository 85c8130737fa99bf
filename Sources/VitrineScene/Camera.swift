import VitrineMath

/// A camera on a node: looks along the node's −Z; +Y is up in the image.
public struct Camera: Equatable, Sendable {
    /// How points are projected to the image.
    public enum Projection: Equatable, Sendable {
        /// `fieldOfView` is vertical.
        case perspective(fieldOfView: Angle)
        /// `scale` is half the height of the visible volume in metres (SceneKit's `orthographicScale`).
        case orthographic(scale: Float)
    }

    /// Default: perspective.
    public var projection: Projection
    /// Metres; nothing nearer is drawn.
    public var near: Float
    /// Metres; nothing farther is drawn. May be infinite for perspective.
    public var far: Float
    /// Fixed width / height; nil: that of the image.
    public var aspectRatio: Float?
    /// Exposure in stops: linear values of the image are multiplied by 2 to this power.
    public var exposure: Float
    /// Depth of field, for perspective cameras. Default nil: a pinhole camera, everything is sharp.
    public var lens: Lens?

    /// Makes a camera. Default: a vertical field of view of 45°, depth from 0.01 m to infinity.
    public init(
        projection: Projection = .perspective(fieldOfView: .degrees(60)), near: Float = 0.01, far: Float = .infinity,
        aspectRatio: Float? = nil, exposure: Float = 0, lens: Lens? = nil
    ) {
        (self.projection, self.near, self.far, self.aspectRatio, self.exposure) = (projection, near, far, aspectRatio, exposure)
        self.lens = lens
    }

    /// View frame to WebGPU's clip space, depth *reversed*: 1 at `near`, 0 at `far`, which keeps precision far away.
    ///
    /// - Parameter aspectRatio: Width / height of the image; used unless `aspectRatio` is set.
    public func clipFromView(aspectRatio: Float) -> Matrix4 {
        let aspect = self.aspectRatio ?? aspectRatio
        switch projection {
        case .perspective(let fieldOfView):
            return .perspective(fieldOfViewY: fieldOfView, aspectRatio: aspect, near: far, far: near)
        case .orthographic(let scale):
            let limit = far.isFinite ? far : near + 1e6
            return .orthographic(width: 2 * scale * aspect, height: 2 * scale, near: limit, far: near)
        }
    }
}
