import VitrineMath
import VitrineScene

/// Numbers that all draws of a frame share.
struct FrameUniforms: ShaderStructure {
    var clipFromWorld: ShaderMatrix4
    var worldFromClip: ShaderMatrix4
    /// The viewpoint in homogeneous coordinates: the camera's position and 1 for perspective, the direction towards the viewer and 0 for
    /// orthographic projection.
    var eye: Vector4
    /// dot(xyz, point) + w is the distance ahead of the camera.
    var forward: Vector4
    /// Radiance of the ambient lights, the same from everywhere.
    var ambient: Vector4
    /// The rendered part of the camera's image: origin and size, 0…1.
    var part: Vector4
    /// uvw = volumeScale.xyz · position + volumeOffset.xyz: 0…1 in the box of the irradiance volume. The number of its probes along x, y and z.
    var volumeScale, volumeOffset, volumeCounts: Vector4
    /// The samples of a wide lobe in this frame of a still. x: their offset between two neighbouring samples of a single frame, 0…1; 0.5 if there is only one
    /// frame. y: the reciprocal of the number of frames. z, w: 0.
    var lobeSample: Vector4
    /// The size of the viewport in pixels.
    var viewportSize: Vector2
    /// 1 / `viewportSize`.
    var pixelSize: Vector2
    /// Tiles of light clusters across and down.
    var tileCounts: Vector2
    /// Cluster slice = log2(distance ahead) · x + y.
    var sliceScale: Vector2
    /// The shift of the image to the left and up, in pixels.
    var subpixelOffset: Vector2
    /// The exposure as a factor.
    var exposure: Float
    /// Added to the mip level of every texture.
    var mipBias: Float
    /// The time in seconds.
    var time: Float
    var sliceCount: Float
    var unboundedLightCount: UInt32
    var boundedLightCount: UInt32

    static let name = "Frame"
    static let fields: [ShaderField<FrameUniforms>] = [
        .init("clipFromWorld") { $0.clipFromWorld }, .init("worldFromClip") { $0.worldFromClip }, .init("eye") { $0.eye },
        .init("forward") { $0.forward }, .init("ambient") { $0.ambient }, .init("part") { $0.part },
        .init("volumeScale") { $0.volumeScale }, .init("volumeOffset") { $0.volumeOffset }, .init("volumeCounts") { $0.volumeCounts },
        .init("lobeSample") { $0.lobeSample },
        .init("viewportSize") { $0.viewportSize }, .init("pixelSize") { $0.pixelSize }, .init("tileCounts") { $0.tileCounts },
        .init("sliceScale") { $0.sliceScale }, .init("subpixelOffset") { $0.subpixelOffset }, .init("exposure") { $0.exposure },
        .init("mipBias") { $0.mipBias }, .init("time") { $0.time }, .init("sliceCount") { $0.sliceCount },
        .init("unboundedLightCount") { $0.unboundedLightCount }, .init("boundedLightCount") { $0.boundedLightCount },
    ]

    init(_ frame: FrameView, _ lights: LightList, _ volume: IrradianceVolume?) {
        let (view, options) = (frame.view, frame.options)
        eye =
            switch view.camera.projection {
            case .perspective: Vector4(view.worldFromCamera.translation, 1)
            case .orthographic: Vector4(normalize(view.worldFromCamera.z.xyz), 0)
            }
        clipFromWorld = ShaderMatrix4(frame.clipFromWorld)
        worldFromClip = ShaderMatrix4(frame.clipFromWorld.inverse)
        forward = frame.forward
        ambient = Vector4(lights.ambient, 0)
        let part = view.part ?? Rectangle(x: 0, y: 0, width: 1, height: 1)
        self.part = Vector4(part.origin.x, part.origin.y, part.size.x, part.size.y)
        (volumeScale, volumeOffset, volumeCounts) = (Vector4(repeating: 0), Vector4(repeating: 0), Vector4(repeating: 1))
        if let volume {
            volumeScale = Vector4(Vector3(repeating: 1) / volume.box.size, 0)
            volumeOffset = Vector4(-volume.box.minimum / volume.box.size, 0)
            volumeCounts = Vector4(Float(volume.counts.x), Float(volume.counts.y), Float(volume.counts.z), 1)
        }
        let (width, height) = (Float(frame.width), Float(frame.height))
        let count = Float(options.lightSample.count)
        lobeSample = Vector4((Float(options.lightSample.index) + 0.5) / count, 1 / count, 0, 0)
        viewportSize = Vector2(width, height)
        pixelSize = Vector2(1 / width, 1 / height)
        tileCounts = Vector2(Float(LightClusters.tilesAcross), Float(LightClusters.tilesDown))
        sliceScale = lights.clusters.sliceScale
        subpixelOffset = options.subpixelOffset
        exposure = frame.exposure
        mipBias = options.mipBias
        time = options.time
        sliceCount = Float(LightClusters.sliceCount)
        unboundedLightCount = UInt32(lights.unboundedCount)
        boundedLightCount = UInt32(lights.boundedCount)
    }
}
