import VitrineMath
import VitrineVision

/// Photos of a synthetic object with exact ground truth: textured, on a textured table or before a plain background, from rings of cameras.
///
/// ```swift
/// let capture = SyntheticCapture.small            // 18 photos of 320 × 240, rendered once per process
/// let photos = capture.photos                     // ColorPlane, with image noise and exposure jitter
/// let truth = capture.cameras[0].cameraFromWorld  // metres, +Y up, the object's base at y = 0
/// ```
/// Rasterizes triangles with nine samples per pixel: about a second for 18 photos of 320 × 240.
package struct SyntheticCapture: Sendable {
    package struct Options: Sendable {
        /// The number of photos, distributed over the rings in turn.
        package var photos = 18
        package var width = 320
        package var height = 240
        /// Degrees above the table, one per ring.
        package var elevations = [14.0, 38.0]
        /// Focal length in image widths: 1.05 is a phone's main camera.
        package var focal = 1.05
        /// k1, k2, k3 of the lens.
        package var radial = Vector3d.zero
        /// Distance from the middle of the object in metres.
        package var distance = 0.42
        /// Deviation of cameras and targets from the rings: 0 as on a turntable, 1 as by hand.
        package var wander = 1.0
        /// The share of the full circle that the cameras cover.
        package var arc = 1.0
        /// Standard deviation of the noise, levels of 255.
        package var noise = 1.5
        /// The largest exposure jitter in stops.
        package var exposureDrift = 0.1
        /// Whether the object is on a table; otherwise only the background surrounds it.
        package var hasTable = true
        /// The sRGB level of the background.
        package var background: UInt8 = 40
        /// 5: 20,480 triangles.
        package var subdivisions = 5
        package var seed: UInt64 = 1

        package init() {}
    }

    package let options: Options
    /// Closed, counter-clockwise seen from outside; metres, +Y up, its flat base at y = 0.
    package let object: TriangleMesh
    /// A square at y = 0 about the origin; empty without a table.
    package let table: TriangleMesh
    /// The camera of each photo, with the lens of `options.radial`.
    package let cameras: [PosedCamera]
    package let photos: [ColorPlane]
    /// z in the camera's frame at the pixels' centres, metres; 0 at the background.
    package let depths: [Plane<Float>]
    /// 255 where at least half of the pixel shows the object.
    package let masks: [MaskPlane]

    /// 18 photos of 320 × 240 on a textured table.
    package static let small = SyntheticCapture()
    /// The same object before a plain background: 18 photos of 320 × 240.
    package static let plain = SyntheticCapture { $0.hasTable = false }
    /// `small` through a lens of k1 = −0.12, k2 = 0.03.
    package static let distorted = SyntheticCapture { $0.radial = Vector3d(-0.12, 0.03, 0) }

    package init(_ change: (inout Options) -> Void = { _ in }) {
        var changed = Options()
        change(&changed)
        let options = changed
        self.options = options
        object = SyntheticObject.lump(subdivisions: options.subdivisions)
        table = options.hasTable ? SyntheticObject.table(side: 1.6, cells: 160) : TriangleMesh()
        var random = SplitMix64(seed: options.seed)
        let cameras = (0..<options.photos).map { SyntheticCapture.camera($0, options, &random) }
        let exposures = cameras.map { _ in options.exposureDrift * random.signed() }
        self.cameras = cameras
        let (object, table) = (object, table)
        let normals = [object.vertexNormals(), table.vertexNormals()]
        let shots = Parallel().map(cameras.count) { index in
            SyntheticShot(
                meshes: [object, table], normals: normals, camera: cameras[index], options: options, exposure: exposures[index],
                seed: options.seed &* 1000 &+ UInt64(index))
        }
        (photos, depths, masks) = (shots.map(\.photo), shots.map(\.depth), shots.map(\.mask))
    }

    private static func camera(_ index: Int, _ options: Options, _ random: inout SplitMix64) -> PosedCamera {
        let wander = options.wander
        let azimuth = 2 * Double.pi * options.arc * Double(index) / Double(options.photos) + 0.05 * wander * random.signed()
        let ring = options.elevations[index % options.elevations.count]
        let elevation = (ring + 4 * wander * random.signed()) * .pi / 180
        let distance = options.distance * (1 + 0.08 * wander * random.signed())
        let target = Vector3d(random.signed(), random.signed(), random.signed()) * (0.012 * wander) + Vector3d(0, 0.09, 0)
        let eye = target + distance * Vector3d(sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation))
        let focal = options.focal * Double(options.width)
        let intrinsics = CameraIntrinsics(
            width: options.width, height: options.height, focal: Vector2d(focal, focal),
            center: Vector2d(Double(options.width), Double(options.height)) / 2, radial: options.radial)
        return PosedCamera(
            intrinsics: intrinsics, cameraFromWorld: .lookAt(eye: eye, target: target, roll: 0.05 * wander * random.signed()))
    }
}

extension RigidTransform {
    /// The pose of a camera (x right, y down, z forward) at `eye` that looks at `target`, +Y up in the world.
    ///
    /// - Parameter roll: Radians about the optical axis.
    package static func lookAt(eye: Vector3d, target: Vector3d, roll: Double = 0) -> RigidTransform {
        let forward = normalize(target - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let down = cross(forward, right)
        let rotation = Matrix3d.rotation(Vector3d(0, 0, roll)) * Matrix3d(rows: right, down, forward)
        return RigidTransform(rotation: rotation, translation: -(rotation * eye))
    }
}
