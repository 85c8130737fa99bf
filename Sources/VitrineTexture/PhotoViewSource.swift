import VitrineVision

/// Photos that are loaded when they are needed, so that memory doesn't grow with their number.
///
/// The builder goes through the photos at least twice, and holds as many at a time as it has threads.
package struct PhotoViewSource: Sendable {
    package let count: Int
    /// Called from several threads. The same index gives the same view each time. nil: the photo can't be had; it is left out.
    let load: @Sendable (Int) -> PhotoView?

    package init(count: Int, load: @escaping @Sendable (Int) -> PhotoView?) { (self.count, self.load) = (max(0, count), load) }

    /// Photos that are in memory already.
    package init(_ views: [PhotoView]) { self.init(count: views.count) { views[$0] } }
}
