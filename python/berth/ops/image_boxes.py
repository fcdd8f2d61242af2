"""image_boxes.py - Boxes of images: crops, patches, the best of those that overlap."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, gen, scopes
from berth.ops import random_ops

_LEAST = float('-inf')


def crop_and_resize(image: Any, boxes: Any, box_ind: Any = None, crop_size: Any = None, method: str = 'bilinear',
                    extrapolation_value: float = 0, name: str | None = None, box_indices: Any = None) -> Any:
    """Cuts boxes out of images, and brings them to a size."""
    index = box_indices if box_ind is None else box_ind
    return crop_and_resize_v2(image, boxes, index, crop_size, method, extrapolation_value, name)


def crop_and_resize_v2(image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = 'bilinear',
                       extrapolation_value: float = 0.0, name: str | None = None) -> Any:
    """Cuts boxes out of images, and brings them to a size."""
    return gen.apply('CropAndResize', name, {
        'image': image, 'boxes': boxes, 'box_ind': box_indices, 'crop_size': crop_size},
                     {'method': method, 'extrapolation_value': extrapolation_value})


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Any:
    """Returns the pixels of windows over images as channels."""
    for what, value in (('sizes', sizes), ('strides', strides), ('rates', rates)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for attr {what}, obtained {type(value).__name__} instead.")
    return gen.apply('ExtractImagePatches', name, {'images': images}, {
        'ksizes': list(sizes), 'strides': list(strides), 'rates': list(rates), 'padding': padding})


def extract_image_patches(images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None,
                          padding: Any = None, name: str | None = None, sizes: Any = None) -> Any:
    """Returns the pixels of windows over images as channels."""
    return extract_patches(images, sizes if ksizes is None else ksizes, strides, rates, padding, name)


def non_max_suppression(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
                        score_threshold: Any = _LEAST, name: str | None = None) -> Any:
    """Returns which boxes are the best of those that overlap."""
    with scopes.name_scope(name, 'non_max_suppression'):
        iou_threshold = convert.convert_to_tensor(iou_threshold, name='iou_threshold')
        score_threshold = convert.convert_to_tensor(score_threshold, name='score_threshold')
        return gen.apply('NonMaxSuppressionV3', None, {
            'boxes': boxes, 'scores': scores, 'max_output_size': max_output_size, 'iou_threshold': iou_threshold,
            'score_threshold': score_threshold}, {})


def non_max_suppression_with_scores(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
                                    score_threshold: Any = _LEAST, soft_nms_sigma: Any = 0.0,
                                    name: str | None = None) -> Any:
    """Returns the same with their scores, which those of overlapping boxes lower."""
    with scopes.name_scope(name, 'non_max_suppression_with_scores'):
        iou_threshold = convert.convert_to_tensor(iou_threshold, name='iou_threshold')
        score_threshold = convert.convert_to_tensor(score_threshold, name='score_threshold')
        soft_nms_sigma = convert.convert_to_tensor(soft_nms_sigma, name='soft_nms_sigma')
        outputs = gen.apply('NonMaxSuppressionV5', None, {
            'boxes': boxes, 'scores': scores, 'max_output_size': max_output_size, 'iou_threshold': iou_threshold,
            'score_threshold': score_threshold, 'soft_nms_sigma': soft_nms_sigma}, {'pad_to_max_output_size': False})
        return outputs[0], outputs[1]


def non_max_suppression_overlaps(overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any = 0.5,
                                 score_threshold: Any = _LEAST, name: str | None = None) -> Any:
    """Returns which boxes are the best of those that overlap, as a matrix says."""
    with scopes.name_scope(name, 'non_max_suppression_overlaps'):
        overlap_threshold = convert.convert_to_tensor(overlap_threshold, name='overlap_threshold')
        return gen.apply('NonMaxSuppressionWithOverlaps', None, {
            'overlaps': overlaps, 'scores': scores, 'max_output_size': max_output_size,
            'overlap_threshold': overlap_threshold, 'score_threshold': score_threshold}, {})


def combined_non_max_suppression(boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any,
                                 iou_threshold: Any = 0.5, score_threshold: Any = _LEAST, pad_per_class: bool = False,
                                 clip_boxes: bool = True, name: str | None = None) -> Any:
    """Returns the best boxes of all classes of each image."""
    with scopes.name_scope(name, 'combined_non_max_suppression'):
        iou_threshold = convert.convert_to_tensor(iou_threshold, dtype=dtypes.float32, name='iou_threshold')
        score_threshold = convert.convert_to_tensor(score_threshold, dtype=dtypes.float32, name='score_threshold')
        max_total_size = convert.convert_to_tensor(max_total_size)
        return gen.apply('CombinedNonMaxSuppression', None, {
            'boxes': boxes, 'scores': scores, 'max_output_size_per_class': max_output_size_per_class,
            'max_total_size': max_total_size, 'iou_threshold': iou_threshold, 'score_threshold': score_threshold},
                         {'pad_per_class': pad_per_class, 'clip_boxes': clip_boxes})


def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None, colors: Any = None) -> Any:
    """Draws the edges of boxes on images, in colours in turn."""
    if colors is None:
        return gen.apply('DrawBoundingBoxes', name, {'images': images, 'boxes': boxes}, {})
    return gen.apply('DrawBoundingBoxesV2', name, {'images': images, 'boxes': boxes, 'colors': colors}, {})


def draw_bounding_boxes_v2(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Draws the edges of boxes on images, in colours in turn; None: in those of TensorFlow 1."""
    return draw_bounding_boxes(images, boxes, name, colors)


def _box_attrs(aspect_ratio_range: Any, area_range: Any, max_attempts: Any,
               use_image_if_no_bounding_boxes: Any) -> dict[str, Any]:
    """Returns how a box may be, as attributes with TensorFlow's defaults."""
    return {'aspect_ratio_range': [0.75, 1.33] if aspect_ratio_range is None else list(aspect_ratio_range),
            'area_range': [0.05, 1.0] if area_range is None else list(area_range),
            'max_attempts': 100 if max_attempts is None else max_attempts,
            'use_image_if_no_bounding_boxes': bool(use_image_if_no_bounding_boxes)}


def sample_distorted_bounding_box(image_size: Any, bounding_boxes: Any, seed: Any = None, seed2: Any = None,
                                  min_object_covered: Any = 0.1, aspect_ratio_range: Any = None,
                                  area_range: Any = None, max_attempts: Any = None,
                                  use_image_if_no_bounding_boxes: Any = None, name: str | None = None) -> Any:
    """Returns a random box of an image, of which objects are not left out: begin, size, and the box itself."""
    with scopes.name_scope(name, 'sample_distorted_bounding_box'):
        return gen.apply('SampleDistortedBoundingBoxV2', name, {
            'image_size': image_size, 'bounding_boxes': bounding_boxes, 'min_object_covered': min_object_covered},
            {'seed': seed or 0, 'seed2': seed2 or 0, **_box_attrs(
                aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)})


def sample_distorted_bounding_box_v2(image_size: Any, bounding_boxes: Any, seed: Any = 0,
                                     min_object_covered: Any = 0.1, aspect_ratio_range: Any = None,
                                     area_range: Any = None, max_attempts: Any = None,
                                     use_image_if_no_bounding_boxes: Any = None, name: str | None = None) -> Any:
    """Returns a random box of an image, of which objects are not left out: begin, size, and the box itself."""
    first, second = random_ops.get_seed(seed) if seed else (0, 0)
    return sample_distorted_bounding_box(image_size, bounding_boxes, first, second, min_object_covered,
                                         aspect_ratio_range, area_range, max_attempts,
                                         use_image_if_no_bounding_boxes, name)


def stateless_sample_distorted_bounding_box(image_size: Any, bounding_boxes: Any, seed: Any,
                                            min_object_covered: Any = 0.1, aspect_ratio_range: Any = None,
                                            area_range: Any = None, max_attempts: Any = None,
                                            use_image_if_no_bounding_boxes: Any = None,
                                            name: str | None = None) -> Any:
    """Returns the random box that |seed| stands for: begin, size, and the box itself."""
    with scopes.name_scope(name, 'stateless_sample_distorted_bounding_box'):
        return gen.apply('StatelessSampleDistortedBoundingBox', name, {
            'image_size': image_size, 'bounding_boxes': bounding_boxes, 'min_object_covered': min_object_covered,
            'seed': seed}, _box_attrs(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes))


def extract_glimpse(input: Any, size: Any, offsets: Any, centered: bool = True,  # pylint: disable=redefined-builtin
                    normalized: bool = True, uniform_noise: bool = True, name: str | None = None) -> Any:
    """Returns windows around places of images, with noise where they leave them."""
    return gen.apply('ExtractGlimpse', name, {'input': input, 'size': size, 'offsets': offsets}, {
        'centered': centered, 'normalized': normalized, 'uniform_noise': uniform_noise, 'noise': 'uniform'})


def extract_glimpse_v2(input: Any, size: Any, offsets: Any, centered: bool = True,  # pylint: disable=redefined-builtin
                       normalized: bool = True, noise: str = 'uniform', name: str | None = None) -> Any:
    """Returns windows at places of images, with noise where they leave them."""
    return gen.apply('ExtractGlimpseV2', name, {'input': input, 'size': size, 'offsets': offsets}, {
        'centered': centered, 'normalized': normalized, 'uniform_noise': False, 'noise': noise})
