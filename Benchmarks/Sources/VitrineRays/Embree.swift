import Foundation
import VitrineMath

/// Embree 3 (Debian: libembree3-3), loaded when this program runs, so that the library carries no dependency on it. One thread, one ray at a time.
final class Embree {
    private typealias Handle = OpaquePointer
    private typealias Intersect = @convention(c) (Handle, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

    private let library: UnsafeMutableRawPointer
    private let scene: Handle
    private let intersect: Intersect
    private let context: UnsafeMutableRawPointer
    /// `RTCRayHit`: a ray of 48 bytes and a hit of 32.
    private let rayHit: UnsafeMutableRawPointer
    private let vertices: UnsafeMutablePointer<Float>
    private let indices: UnsafeMutablePointer<UInt32>
    let version: String

    /// - Parameter isRobust: Watertight, as our hierarchy is (`RTC_SCENE_FLAG_ROBUST`).
    /// - Returns: nil without the library.
    init?(positions: [Vector3], triangles: [SIMD3<UInt32>], isRobust: Bool) {
        guard let library = dlopen("libembree3.so.3", RTLD_NOW) else { return nil }
        func function<T>(_ name: String, _ type: T.Type) -> T {
            guard let symbol = dlsym(library, name) else { fatalError("libembree3 has no \(name)") }
            return unsafeBitCast(symbol, to: type)
        }
        typealias Make = @convention(c) (Handle) -> Handle
        typealias Apply = @convention(c) (Handle) -> Void
        typealias Set = @convention(c) (Handle, Int32) -> Void
        let newDevice = function("rtcNewDevice", (@convention(c) (UnsafePointer<CChar>) -> Handle).self)
        let property = function("rtcGetDeviceProperty", (@convention(c) (Handle, Int32) -> Int).self)
        let newGeometry = function("rtcNewGeometry", (@convention(c) (Handle, Int32) -> Handle).self)
        let setBuffer = function(
            "rtcSetSharedGeometryBuffer",
            (@convention(c) (Handle, Int32, UInt32, Int32, UnsafeRawPointer, Int, Int, Int) -> Void).self)
        let attach = function("rtcAttachGeometry", (@convention(c) (Handle, Handle) -> UInt32).self)
        self.library = library
        intersect = function("rtcIntersect1", Intersect.self)

        // One vertex more: Embree reads 16 bytes of the last one.
        vertices = .allocate(capacity: 3 * positions.count + 3)
        for (index, p) in positions.enumerated() { for axis in 0..<3 { vertices[3 * index + axis] = p[axis] } }
        for axis in 0..<3 { vertices[3 * positions.count + axis] = 0 }
        indices = .allocate(capacity: 3 * triangles.count)
        for (index, t) in triangles.enumerated() { for corner in 0..<3 { indices[3 * index + corner] = t[corner] } }

        let device = newDevice("threads=1")
        version = "3.\(property(device, 2)).\(property(device, 3))"
        scene = function("rtcNewScene", Make.self)(device)
        function("rtcSetSceneFlags", Set.self)(scene, isRobust ? 4 : 0)
        function("rtcSetSceneBuildQuality", Set.self)(scene, 2)
        // Triangles; formats of three floats and three unsigned integers.
        let geometry = newGeometry(device, 0)
        setBuffer(geometry, 1, 0, 0x9003, vertices, 0, 12, positions.count)
        setBuffer(geometry, 0, 0, 0x5003, indices, 0, 12, triangles.count)
        function("rtcCommitGeometry", Apply.self)(geometry)
        _ = attach(scene, geometry)
        function("rtcCommitScene", Apply.self)(scene)

        context = .allocate(byteCount: 64, alignment: 16)
        context.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
        context.storeBytes(of: UInt32.max, toByteOffset: 16, as: UInt32.self)
        rayHit = .allocate(byteCount: 80, alignment: 16)
        rayHit.initializeMemory(as: UInt8.self, repeating: 0, count: 80)
    }

    deinit {
        vertices.deallocate()
        indices.deallocate()
        context.deallocate()
        rayHit.deallocate()
        dlclose(library)
    }

    /// The distance to the nearest triangle; infinity without one.
    @inline(__always) func nearest(_ origin: Vector3, _ direction: Vector3) -> Float {
        let values = rayHit.assumingMemoryBound(to: Float.self)
        (values[0], values[1], values[2], values[3]) = (origin.x, origin.y, origin.z, 0)
        (values[4], values[5], values[6], values[7]) = (direction.x, direction.y, direction.z, 0)
        values[8] = .infinity
        rayHit.storeBytes(of: UInt32.max, toByteOffset: 36, as: UInt32.self)
        rayHit.storeBytes(of: UInt32.max, toByteOffset: 72, as: UInt32.self)
        intersect(scene, context, rayHit)
        return rayHit.load(fromByteOffset: 72, as: UInt32.self) == UInt32.max ? .infinity : values[8]
    }
}
