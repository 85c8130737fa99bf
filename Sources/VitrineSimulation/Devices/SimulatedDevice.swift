import VitrineAR
import VitrineVision

/// Calibrations of devices for simulation.
public enum SimulatedDevice: String, Sendable, CaseIterable {
    /// A phone in landscape orientation: 640 × 480, 66° horizontally, little distortion.
    case phone
    /// The left camera and the IMU of the EuRoC flights (Burri et al., 2016): 752 × 480, radial-tangential.
    case euroc
    /// The left camera and the IMU of TUM-VI (Schubert et al., 2018): 512 × 512, equidistant fisheye.
    case tumVI = "tum-vi"

    /// The published calibration, with pixel centres at +0.5.
    public var rig: SensorRig {
        switch self {
        case .phone: Self.phoneRig
        case .euroc: Self.eurocRig
        case .tumVI: Self.tumVIRig
        }
    }

    private static var phoneRig: SensorRig {
        let camera = CameraIntrinsics(
            width: 640, height: 480, focal: Vector2d(492, 492), center: Vector2d(321.5, 238.7),
            distortion: .brownConrady(SIMD4(0.03, -0.05, 0, 0)))
        // A phone in landscape with its top to the left: the IMU's x is up in the image, y left, z towards the viewer.
        let turn = Matrix3d(rows: Vector3d(0, -1, 0), Vector3d(-1, 0, 0), Vector3d(0, 0, -1))
        return SensorRig(camera: camera, cameraFromBody: RigidTransform(rotation: turn, translation: Vector3d(0.03, -0.01, 0.005)))
    }

    private static var eurocRig: SensorRig {
        let camera = CameraIntrinsics(
            width: 752, height: 480, focal: Vector2d(458.654, 457.296), center: Vector2d(367.715, 248.875),
            distortion: .brownConrady(SIMD4(-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05)))
        let bodyFromCamera = RigidTransform(
            rotation: Matrix3d(
                rows: Vector3d(0.0148655429818, -0.999880929698, 0.00414029679422),
                Vector3d(0.999557249008, 0.0149672133247, 0.025715529948), Vector3d(-0.0257744366974, 0.00375618835797, 0.999660727178)),
            translation: Vector3d(-0.0216401454975, -0.064676986768, 0.00981073058949))
        let noise = InertialNoise(gyroscope: 1.6968e-4, accelerometer: 2e-3, gyroscopeWalk: 1.9393e-5, accelerometerWalk: 3e-3)
        return SensorRig(camera: camera, cameraFromBody: bodyFromCamera.inverse, noise: noise)
    }

    private static var tumVIRig: SensorRig {
        let camera = CameraIntrinsics(
            width: 512, height: 512, focal: Vector2d(190.978477, 190.973307), center: Vector2d(255.431744, 257.397307),
            distortion: .kannalaBrandt(SIMD4(0.00348238940225, 0.000715034845216, -0.00205323614187, 0.000202936735918)))
        let cameraFromBody = RigidTransform(
            rotation: Matrix3d(
                rows: Vector3d(-0.9995250378696743, 0.029615343885863205, -0.008522328211654736),
                Vector3d(0.0075019185074052044, -0.03439736061393144, -0.9993800792498829),
                Vector3d(-0.02989013031643309, -0.998969345370175, 0.03415885127385616)),
            translation: Vector3d(0.04727988224914392, -0.047443232143367084, -0.0681999605066297))
        let noise = InertialNoise(gyroscope: 1.6e-4, accelerometer: 2.8e-3, gyroscopeWalk: 2.2e-5, accelerometerWalk: 8.6e-4)
        return SensorRig(camera: camera, cameraFromBody: cameraFromBody, noise: noise)
    }
}
