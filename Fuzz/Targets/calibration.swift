// modules: VitrineVision VitrineVideo VitrineMapping VitrineTracking VitrineAR
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Calibrations in YAML, as Kalibr and EuRoC write them, and the system's description of an inertial sensor.
let calibrationTarget = FuzzTarget(
    seeds: {
        [
            """
            #Default camera
            sensor_type: camera
            T_BS:
              cols: 4
              rows: 4
              data: [0.0, -1.0, 0.0, -0.02,
                     1.0, 0.0, 0.0, -0.06,
                    0.0, 0.0, 1.0, 0.01,
                     0.0, 0.0, 0.0, 1.0]
            resolution: [752, 480]
            camera_model: pinhole
            intrinsics: [458.654, 457.296, 367.215, 248.375] #fu, fv, cu, cv
            distortion_model: radial-tangential
            distortion_coefficients: [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]
            """,
            """
            %YAML:1.0
            cam0:
              T_cam_imu:
              - [1.0, 0.0, 0.0, 0.0]
              - [0.0, 1.0, 0.0, 0.0]
              - [0.0, 0.0, 1.0, 0.0]
              - [0.0, 0.0, 0.0, 1.0]
              cam_overlaps: [1]
              distortion_coeffs: [0.0034, 0.0007, -0.0020, 0.0002]
              distortion_model: equidistant
              intrinsics: [190.9, 190.9, 254.9, 256.8]
              resolution: [512, 512]
              rostopic: "/cam0/image_raw"
              timeshift_cam_imu: 0.0025
            imu0:
              gyroscope_noise_density: 0.00008
              accelerometer_noise_density: 0.0014
              gyroscope_random_walk: 0.0000022
              accelerometer_random_walk: 0.000086
            """, "le:s16/16>>0", "be:u12/32>>4", "0, -1, 0; 1, 0, 0; 0, 0, 1",
        ].map { Array($0.utf8) }
    },
    run: { input in
        sensor(String(decoding: input, as: UTF8.self))
        guard let value = try? YAMLParser.parse(input, name: "a") else { return }
        for rig in [try? KalibrCalibration.rig(value, name: "a")].compactMap({ $0 }) {
            precondition(rig.camera.isPossible && rig.cameraFromBody.isPossible)
        }
        if let camera = try? KalibrCalibration.camera(value, name: "a") { precondition(camera.isPossible) }
        if let transform = try? KalibrCalibration.transform(value["T_BS"], name: "a") { precondition(transform.isPossible) }
        _ = KalibrCalibration.noise(value)
    })

private func sensor(_ text: String) {
    if let element = ScanElement(text) {
        precondition(element.byteCount <= 8)
        _ = element.value([UInt8](repeating: 0xA5, count: 8)[...], at: 0)
    }
    _ = try? InertialAxes.mountMatrix(text, location: "a")
    _ = InertialSensor.choice(text, 200)
}
